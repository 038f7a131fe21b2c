// MCPG: the guide to command execution tools for MCP.

import { type Conformance, inFile, section } from './point.ts';

const own = inFile('test/profiles/mcp-guide.test.ts');

const ALLOWED = '✅ %s';
const REFUSED = '❌ %s';
const BLACKLISTED = ['shutdown', 'reboot', 'useradd', 'fdisk', 'dd', 'apt', 'format', 'ifconfig', 'iptables'];

export const MCP_GUIDE: Conformance = {
  profile: 'mcp-guide',
  document: 'Command Execution Tool Guide',
  points: [
    ...section('Overview', [
      [
        'allows safe execution of command-line commands within the sandbox directory',
        own(
          ['work_dir %s is refused', '..', '/etc'],
          ['nothing outside is read or written: %s', 'cat /etc/passwd', 'touch ../x'],
          'the kernel confines it',
        ),
      ],
      [
        '所有命令只能在沙箱目录内执行',
        own(
          ['work_dir %s is refused', '..', '/'],
          ['nothing outside is read or written: %s', 'cd / && ls'],
          'a link that leads out is outside, for every tool',
        ),
        { means: 'Commands can only run inside the sandbox directory.' },
      ],
      [
        'Blacklist Mechanism',
        own('the default commands and directories, to the letter', ['%s', 'shutdown', 'dd', 'apt']),
      ],
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
        'Execute command line command within sandbox directory.',
        own('MCPG the descriptions are those of the guide, with the sandbox directory'),
      ],
      ['"command": "ls",', own('the request parameters of the guide', 'the response of the guide')],
      [
        'Command arguments (optional)',
        own(
          'the request parameters of the guide',
          'words in args are never expanded',
          'arguments may stand in command, too',
        ),
      ],
      [
        'Working directory (relative to sandbox root)',
        own('work_dir is relative to the root of the sandbox', 'MCPG the complete usage example'),
        { differs: '`.` is the directory set by `change_directory`, as in the complete example of the guide.' },
      ],
      ['Timeout in seconds, 0 for default', own('4 timeout', 'timeout 0 and no timeout are 300 seconds')],
      ['"message": "command executed successfully"', own('the response of the guide')],
      [
        '"args": ["/c", "dir"],',
        own('example: cmd /c dir of Windows is a command that is not there'),
        { differs: 'Nothing of Windows can be run; the answer says that the command was not found.' },
      ],
      ['"args": ["test.txt"]', own('example: create a file')],
    ]),
    ...section('2. get_command_blacklist', [
      [
        'Get current command and directory blacklist configuration.',
        own('the default commands and directories, to the letter', 'adds, for this session, and refuses from then on'),
        { differs: '`rm` is in the example of the answer, but not in the list: a note of the guide says so.' },
      ],
      [
        '"system_directories": [',
        own(
          'the default commands and directories, to the letter',
          'system_directories are those of the machine, with links followed',
        ),
        { differs: 'The default directories that exist on this machine, with links followed.' },
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
      [
        'validates whether these paths are within the sandbox directory',
        own([ALLOWED, 'rm test.txt', 'rm ./subdir/file.txt'], [REFUSED, 'rm ../../etc/passwd', 'rm /etc/passwd']),
      ],
      ['`rmdir` - 删除目录 / Delete directories', own([REFUSED, 'rmdir ../outside'])],
      [
        'Windows delete command',
        own(['❌ %s of Windows', 'del', 'erase']),
        { differs: 'Their paths are tested like those of `rm`; the programs do not exist here.' },
      ],
      [
        'Windows remove directory',
        own(['❌ %s of Windows', 'rd']),
        { differs: 'Its paths are tested like those of `rm`; the program does not exist here.' },
      ],
      [
        '解析命令参数中的所有路径（跳过选项参数如 `-rf`）',
        own([ALLOWED, 'rm -rf temp_dir'], [REFUSED, 'rm -rf /bin']),
        { means: 'All paths in the arguments are read; options such as `-rf` are skipped.' },
      ],
      [
        '将相对路径转换为绝对路径',
        own([REFUSED, 'rm ../../etc/passwd'], 'a link that leads out is outside, for every tool'),
        { means: 'Relative paths become absolute.' },
      ],
      [
        '验证路径是否在黑名单目录中',
        own('a folder of the sandbox can be added by its name there', 'a path in a blacklisted directory is refused'),
        { means: 'Paths are not in a blacklisted directory.' },
      ],
      ['rm ../../etc/passwd', own([REFUSED, 'rm ../../etc/passwd', 'rm /etc/passwd'])],
      ['rm -rf /bin', own([REFUSED, 'rm -rf /bin'])],
      ['rm -rf temp_dir', own([ALLOWED, 'rm -rf temp_dir'])],
    ]),
    ...section('Default Blacklisted Commands', [
      [
        'The following commands are prohibited by default:',
        [
          ...own(['%s', ...BLACKLISTED]),
          ...inFile('src/decide/checks/lists/mcp-guide-lists.test.ts')('the default lists are those of the guide'),
        ],
      ],
      ['`rm` and `rmdir` commands are not blacklisted', own([ALLOWED, 'rm test.txt', 'rm -rf temp_dir'])],
    ]),
    ...section('Default Blacklisted Directories', [
      [
        'The following directories are prohibited as working directories:',
        own(
          'the default commands and directories, to the letter',
          ['work_dir %s is refused', '/etc'],
          'a folder of the sandbox can be added by its name there',
        ),
        { differs: 'Those outside the sandbox directory are refused as such, before the blacklist is read.' },
      ],
    ]),
    ...section('Complete Usage Example', [['"name": "create_directory"', own('MCPG the complete usage example')]]),
    ...section('Notes', [
      [
        '默认超时为300秒，最大3600秒',
        own('MCPG notes 1: 300 seconds by default, 3600 at most', 'timeout 0 and no timeout are 300 seconds'),
        { means: 'The default timeout is 300 seconds, the longest 3600.' },
      ],
      ['Working Directory Restriction', own('notes 2: only inside the sandbox')],
      ['Blacklist Cannot Be Removed', own('notes 3: nothing can be removed')],
      ['Command Arguments', own('words in args are never expanded', 'arguments may stand in command, too')],
    ]),
    ...section('Error Handling', [
      ['"error": "command is blacklisted"', own(['%s', 'shutdown'])],
      ['"error": "directory is blacklisted"', own('a folder of the sandbox can be added by its name there')],
      [
        '"error": "path is outside sandbox directory"',
        own([REFUSED, 'rm /etc/passwd'], 'notes 2: only inside the sandbox'),
      ],
      ['"message": "command execution failed: context deadline exceeded"', own('4 timeout')],
    ]),
    ...section('Best Practices', [
      ['Always Check Exit Code', own('stdout and stderr are apart; best practice 1: the exit code is to be looked at')],
      ['Use Relative Paths', own('work_dir is relative to the root of the sandbox')],
      ['Capture Output', own('stdout and stderr are apart; best practice 1: the exit code is to be looked at')],
    ]),
  ],
};
