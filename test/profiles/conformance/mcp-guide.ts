// MCPG: the guide to command execution tools for MCP.

import { type Conformance, inFile, section } from './point.ts';

const own = inFile('test/profiles/mcp-guide.test.ts');

export const MCP_GUIDE: Conformance = {
  profile: 'mcp-guide',
  document: 'Command Execution Tool Guide',
  points: [
    ...section('Overview', [
      [
        'allows safe execution of command-line commands within the sandbox directory',
        own('work_dir is relative to the root of the sandbox', 'work_dir %s is refused'),
      ],
      ['Blacklist Mechanism', own('the default commands and directories, to the letter', '%s')],
      ['Working Directory Management', own('is . at the start, and follows change_directory')],
      [
        'Cross-platform Support',
        own('example: cmd /c dir of Windows is a command that is not there'),
        {
          differs: 'Commands are checked as bash reads them. On Windows there is no sandbox: use WSL 2 or a container.',
        },
      ],
    ]),
    ...section('1. execute_command', [
      [
        '"work_dir": "."',
        own('the request parameters of the guide', 'work_dir is relative to the root of the sandbox'),
      ],
      ['Command arguments (optional)', own('the request parameters of the guide', 'words in args are never expanded')],
      [
        'Working directory (relative to sandbox root)',
        own('work_dir is relative to the root of the sandbox'),
        { differs: '`.` is the directory set by `change_directory`, as in the complete example of the guide.' },
      ],
      ['Timeout in seconds, 0 for default', own('the request parameters of the guide', '4 timeout')],
      ['"message": "command executed successfully"', own('the response of the guide')],
      ['"args": ["test.txt"]', own('example: create a file')],
    ]),
    ...section('2. get_command_blacklist', [
      [
        'Get current command and directory blacklist configuration.',
        own('the default commands and directories, to the letter'),
      ],
    ]),
    ...section('3. update_command_blacklist', [
      [
        'Add custom commands or directories to the blacklist.',
        own(
          'adds, for this session, and refuses from then on',
          'a folder of the sandbox can be added by its name there',
        ),
        { differs: 'Additions last as long as the session; `blacklist` in the settings is permanent.' },
      ],
      ['"message": "blacklist updated successfully"', own('adds, for this session, and refuses from then on')],
    ]),
    ...section('4. get_working_directory', [
      [
        'Get current working directory (relative to sandbox root).',
        own('is . at the start, and follows change_directory'),
      ],
    ]),
    ...section('5. change_directory', [
      ['can only change within sandbox', own('notes 2: only inside the sandbox')],
      ['"message": "directory changed successfully"', own('is . at the start, and follows change_directory')],
    ]),
    ...section('Path Argument Validation', [
      ['validates whether these paths are within the sandbox directory', own('✅ %s', '❌ %s')],
      ['rm ../../etc/passwd', own('❌ %s')],
      ['rm -rf /bin', own('❌ %s')],
      ['rm -rf temp_dir', own('✅ %s')],
      [
        'Windows delete command',
        own('❌ %s'),
        { differs: '`del`, `erase` and `rd` are programs that do not exist here; what bash would run is checked.' },
      ],
    ]),
    ...section('Default Blacklisted Commands', [
      [
        'The following commands are prohibited by default:',
        [
          ...own('%s'),
          ...inFile('src/decide/checks/lists/mcp-guide-lists.test.ts')('the default lists are those of the guide'),
        ],
      ],
      ['`rm` and `rmdir` commands are not blacklisted', own('✅ %s')],
    ]),
    ...section('Default Blacklisted Directories', [
      [
        'The following directories are prohibited as working directories:',
        own('the default commands and directories, to the letter', 'work_dir %s is refused'),
      ],
    ]),
    ...section('Complete Usage Example', [['"name": "create_directory"', own('MCPG the complete usage example')]]),
    ...section('Notes', [
      [
        '默认超时为300秒，最大3600秒',
        own('MCPG notes 1: 300 seconds by default, 3600 at most'),
        { means: 'The default timeout is 300 seconds, the longest 3600.' },
      ],
      ['Working Directory Restriction', own('notes 2: only inside the sandbox')],
      ['Blacklist Cannot Be Removed', own('notes 3: nothing can be removed')],
      ['Command Arguments', own('words in args are never expanded', 'arguments may stand in command, too')],
    ]),
    ...section('Error Handling', [
      ['"error": "command is blacklisted"', own('%s')],
      ['"error": "directory is blacklisted"', own('work_dir %s is refused')],
      ['"error": "path is outside sandbox directory"', own('❌ %s', 'notes 2: only inside the sandbox')],
      ['"message": "command execution failed: context deadline exceeded"', own('4 timeout')],
    ]),
    ...section('Best Practices', [
      ['Always Check Exit Code', own('stdout and stderr are apart; best practice 1: the exit code is to be looked at')],
      ['Capture Output', own('stdout and stderr are apart; best practice 1: the exit code is to be looked at')],
    ]),
  ],
};
