// MCPG: its five tools and `create_directory`, with its texts. The sandbox directory is the folder of the session.

import { relative } from 'node:path';
import { engineOf } from '../../core/profile-rules.ts';
import { quoteWord } from '../../core/values/shell-words.ts';
import type { Calling, ObjectSchema, Profile, ProfileTool, Surroundings, ToolAnswer } from '../profile.ts';
import { createTool, MAY_DO_ANYTHING, ONLY_LOOKS, objectSchema, runAsked } from '../shared/call.ts';
import { resolveFolder } from '../shared/folders.ts';
import type { Fields } from '../shared/input.ts';
import { describeSandbox, shown } from '../shared/surroundings.ts';
import { addToBlacklist, MAX_ENTRIES, openBlacklist, optionsFor, systemDirectories } from './blacklist.ts';
import { answerJson, describeUndone, drawError, drawRefusal, ERRORS, executed, refusal } from './outcomes.ts';

const DEFAULT_SECONDS = 300;
const MAX_SECONDS = 3600;

const text = (description: string) => ({ type: 'string', description });
const texts = (description: string) => ({ type: 'array', items: { type: 'string', minLength: 1 }, description });
const path = (description: string) => ({ type: 'string', minLength: 1, description });
const ERROR = { error: text('what is wrong') };
const DONE = objectSchema({ success: { type: 'boolean' }, message: { type: 'string' }, ...ERROR });

interface Guided {
  readonly name: string;
  readonly title: string;
  readonly says: string;
  readonly input: ObjectSchema;
  readonly output: ObjectSchema;
  readonly annotations: ProfileTool['annotations'];
  readonly perform: (input: Fields, calling: Calling) => Promise<ToolAnswer>;
  readonly describe?: (surroundings: Surroundings) => readonly string[];
}

function guided({ says, input, output, describe, ...tool }: Guided): ProfileTool {
  return createTool({
    ...tool,
    inputSchema: input,
    outputSchema: output,
    describe: (surroundings) => [says, ...(describe?.(surroundings) ?? [])].join('\n'),
    refuse: (problem) => refusal(problem),
  });
}

const CHANGES_LITTLE = { ...MAY_DO_ANYTHING, destructiveHint: false, idempotentHint: true, openWorldHint: false };

export const MCP_GUIDE: Profile = {
  name: 'mcp-guide',
  engine: engineOf('mcp-guide'),
  tools: [
    guided({
      name: 'execute_command',
      title: '执行命令 / Execute command',
      says: '在沙箱目录内执行命令行命令。\nExecute command line command within sandbox directory.',
      input: objectSchema(
        {
          command: path('要执行的命令 / Command to execute'),
          args: {
            type: 'array',
            items: { type: 'string' },
            description: '命令参数(可选) / Command arguments (optional)',
          },
          work_dir: path('工作目录(相对于沙箱根目录) / Working directory (relative to sandbox root)'),
          timeout: {
            type: 'number',
            minimum: 0,
            maximum: MAX_SECONDS,
            default: 0,
            description: `超时时间(秒),0表示使用默认值 / Timeout in seconds, 0 for default (${DEFAULT_SECONDS}, at most ${MAX_SECONDS})`,
          },
        },
        ['command'],
      ),
      output: objectSchema({
        success: { type: 'boolean', description: 'the command ran to its end; check exit_code, too' },
        exit_code: { type: 'integer', description: '-1 if it did not end on its own' },
        stdout: { type: 'string' },
        stderr: { type: 'string' },
        message: { type: 'string' },
        ...ERROR,
      }),
      annotations: MAY_DO_ANYTHING,
      perform: execute,
      describe: ({ cwd, ...rest }) => [
        `Sandbox directory: ${shown(cwd)}. Pass the arguments in args; without args, bash reads the command.`,
        'A command that names a path outside the sandbox directory or a blacklisted program, that runs in a blacklisted directory, or that writes to one or deletes from it, is refused. What stays inside runs without a question.',
        'Checked are the paths and programs that a command names. Scripts and programs that it starts (make, python3) can read what the sandbox shows, and start any program.',
        ...describeSandbox({ cwd, ...rest }),
      ],
    }),
    guided({
      name: 'get_command_blacklist',
      title: '获取黑名单 / Get blacklist',
      says: '获取当前的命令和目录黑名单配置。\nGet current command and directory blacklist configuration.',
      input: objectSchema({}),
      output: objectSchema({
        commands: texts('blacklisted commands'),
        directories: texts('blacklisted directories'),
        system_directories: texts('default directories that exist on this system, with links followed'),
        ...ERROR,
      }),
      annotations: ONLY_LOOKS,
      perform: async (_, calling) => {
        const { commands, directories } = openBlacklist(calling);
        const data = {
          commands: [...commands],
          directories: [...directories],
          system_directories: [...systemDirectories()],
        };
        return answerJson(data);
      },
    }),
    guided({
      name: 'update_command_blacklist',
      title: '更新黑名单 / Update blacklist',
      says: '向黑名单中添加自定义命令或目录。只能添加，不能删除黑名单项。\nAdd custom commands or directories to the blacklist. Entries cannot be removed.',
      input: objectSchema({
        commands: texts('要添加的命令 / Commands to add'),
        directories: texts('要添加的目录 / Directories to add'),
      }),
      output: DONE,
      annotations: CHANGES_LITTLE,
      perform: update,
    }),
    guided({
      name: 'get_working_directory',
      title: '获取工作目录 / Get working directory',
      says: '获取当前工作目录(相对于沙箱根目录)。\nGet current working directory (relative to sandbox root).',
      input: objectSchema({}),
      output: objectSchema({ work_dir: { type: 'string' }, ...ERROR }),
      annotations: ONLY_LOOKS,
      perform: async (_, { session }) => {
        const work_dir = relative(session.originalCwd, session.cwd) || '.';
        return answerJson({ work_dir });
      },
    }),
    guided({
      name: 'change_directory',
      title: '切换工作目录 / Change directory',
      says: '切换当前工作目录(只能在沙箱内切换)。\nChange current working directory (can only change within sandbox).',
      input: objectSchema({ path: path('目标目录路径 / Target directory path') }, ['path']),
      output: DONE,
      annotations: CHANGES_LITTLE,
      perform: change,
    }),
    guided({
      name: 'create_directory',
      title: '创建目录 / Create directory',
      says: '在沙箱内创建目录。\nCreate a directory within the sandbox.',
      input: objectSchema({ path: path('目录路径 / Directory path') }, ['path']),
      output: DONE,
      annotations: CHANGES_LITTLE,
      perform: create,
    }),
  ],
};

const done = (message: string) => answerJson({ success: true, message });

async function update({ commands = [], directories = [] }: Fields, calling: Calling): Promise<ToolAnswer> {
  const added = { commands: entriesOf(commands), directories: entriesOf(directories) };
  if (added.commands.length + added.directories.length === 0)
    return refusal('nothing to add: pass "commands" or "directories", for example {"commands": ["nmap"]}');
  const pattern = [...added.commands, ...added.directories].find((entry) => /[*?[]/.test(entry));
  if (pattern !== undefined) return refusal(`entries are names, not patterns: ${pattern}`);
  return addToBlacklist(calling, added)
    ? done('blacklist updated successfully')
    : refusal(`the blacklist takes at most ${MAX_ENTRIES} additions`);
}

/** Without empty entries. */
function entriesOf(given: unknown): readonly string[] {
  return (given as readonly string[]).map((entry) => entry.trim()).filter((entry) => entry !== '');
}

async function execute({ command, args, work_dir, timeout = 0 }: Fields, calling: Calling): Promise<ToolAnswer> {
  const { originalCwd } = calling.session;
  const words = args as string[] | undefined;
  // "." is the directory set by change_directory; anything else is relative to the root of the sandbox.
  const isHere = work_dir === undefined || /^\.\/?$/.test(work_dir as string);
  const seconds = (timeout as number) || DEFAULT_SECONDS;
  const result = await runAsked(waiting(calling), {
    command: command as string,
    options: {
      ...optionsFor(calling),
      streams: 'split',
      timeout: Math.ceil(seconds * 1000),
      ...(words === undefined || words.length === 0 ? {} : { args: words }),
      ...(isHere ? {} : { cwd: resolveFolder(work_dir as string, originalCwd) }),
    },
  });
  return executed(result);
}

/** The guide has no tasks: the call waits until the command ends or times out. */
function waiting({ answerWithin: _, ...calling }: Calling): Calling {
  return calling;
}

async function change({ path }: Fields, calling: Calling): Promise<ToolAnswer> {
  const { session } = calling;
  const folder = resolveFolder(path as string, session.cwd);
  // A folder in which commands must not run must not be entered.
  const { verdict } = calling.shell.check('pwd', session.complete({ ...optionsFor(calling), cwd: folder }));
  const error = drawError(verdict);
  if (error !== null) return refusal(error);
  const result = await session.run(`cd -- ${quoteWord(folder)}`, optionsFor(calling));
  if (result.status === 'denied') return drawRefusal(result);
  if (result.cwdCause === 'outside') return refusal(ERRORS.outside);
  if (result.isError) return refusal(`directory cannot be entered: ${result.output.trim() || result.failure?.message}`);
  return done('directory changed successfully');
}

async function create({ path }: Fields, calling: Calling): Promise<ToolAnswer> {
  const folder = resolveFolder(path as string, calling.session.cwd);
  const result = await runAsked(waiting(calling), {
    command: 'mkdir',
    options: { ...optionsFor(calling), args: ['-p', '--', folder] },
  });
  if (result.status === 'denied') return drawRefusal(result);
  if (result.isError) return refusal(`directory cannot be created: ${result.output.trim() || result.failure?.message}`);
  const undone = describeUndone(result);
  if (undone !== null) return refusal(`directory was not created: ${undone}`);
  return done('directory created successfully');
}
