// Code of another language on the command line that deletes the system, a home folder or a disk: like `rm -rf /`.
// Only literal code counts: a delete function with a literal path, or literal text for a shell.

import type { CommandCheck } from '../../../check.ts';
import { isBlockDevice } from '../terms/places.ts';
import { isDestruction, isWholeTree, wordsOfText } from './dangerous-text.ts';

export const DESTRUCTIVE_CODE_CHECKS: readonly CommandCheck[] = [
  {
    id: 'destructive-code',
    layer: 'safety',
    severity: 'critical',
    verdict: 'deny',
    message: 'The code that runs here deletes the system, a home folder or a disk.',
    instead: 'Name exactly the files to delete, inside the project.',
    touches: ['executes'],
    inspect({ effects, span, elsewhere }) {
      if (elsewhere !== null) return null;
      const isFound = effects.executes.some(
        ({ kind, text }) => kind === 'code' && text !== null && isDestructive(text),
      );
      return isFound ? { span } : null;
    },
    examples: {
      matches: [
        `python3 -c "import shutil; shutil.rmtree('/')"`,
        `python3 -c "import shutil, os; shutil.rmtree(os.path.expanduser('~'))"`,
        `python -c "import os; os.system('rm -rf /')"`,
        `python3 -c "import subprocess; subprocess.run(['rm', '-rf', '/'])"`,
        `python3 -c "open('/dev/sda', 'wb').write(b'x')"`,
        `perl -e 'unlink glob "/*"'`,
        `perl -e 'system("rm -rf /")'`,
        `perl -MFile::Path -e 'remove_tree("/")'`,
        `perl -e 'exec "rm", "-rf", "/etc"'`,
        `ruby -e 'require "fileutils"; FileUtils.rm_rf("/")'`,
        `ruby -rfileutils -e 'FileUtils.rm_rf Dir.home'`,
        `node -e "require('fs').rmSync('/', {recursive: true})"`,
        `node -e "require('child_process').execSync('rm -rf ~')"`,
        `node -e "fs.rmSync(os.homedir(), {recursive: true})"`,
        `php -r 'system("rm -rf /usr");'`,
        `sudo python3 -c "import shutil; shutil.rmtree('/etc')"`,
      ],
      passes: [
        `python3 -c "import shutil; shutil.rmtree('build')"`,
        `python3 -c "import shutil; shutil.rmtree('/home/u/project/dist')"`,
        `python3 -c "print('rm -rf /')"`,
        `python3 -c "import os; os.system('rm -rf build')"`,
        `python3 -c "import os; print(os.listdir('/'))"`,
        `python3 -c "import os, shutil; shutil.rmtree(os.path.join('/', 'tmp', 'x'))"`,
        `node -e "require('fs').rmSync('dist', {recursive: true})"`,
        `perl -e 'unlink "a.txt"'`,
        `python3 -c "import subprocess; subprocess.run(['ls', '/'])"`,
        `python3 -c "open('/dev/null', 'w')"`,
        `echo "shutil.rmtree('/')"`,
      ],
    },
  },
];

const LITERAL = /(?:"((?:[^"\\]|\\.){0,300})"|'((?:[^'\\]|\\.){0,300})'|`((?:[^`\\]|\\.){0,300})`)/g;
const DELETES =
  /\b(?:rmtree|remove_tree|rm_rf?|rm_r|rmSync|rmdirSync|removeSync|rimraf|rm|rmdir|removedirs|remove_entry\w*|unlink|RemoveAll|deltree)\s*\(?\s*(?:glob\s*\(?\s*)?/g;
const HOME =
  /^(?:(?:os\.)?homedir\(\)|Dir\.home|(?:pathlib\.)?Path\.home\(\)|ENV\[["']HOME["']\]|\$ENV\{["']?HOME["']?\}|os\.environ\[["']HOME["']\]|process\.env\.HOME)(?!\s*[+./])/;
const EXPANDS = /^(?:os\.path\.expanduser|(?:pathlib\.)?Path|File\.expand_path)\(\s*/;
const RUNS = /\b(?:system|popen\w*|Popen|exec\w*|spawn\w*|run|call|check_\w+|getoutput|shell_exec|passthru|qx)\b|`/;
const WRITES_DEVICE =
  /\b(?:open|writeFileSync|writeFile|createWriteStream|write|binwrite)\s*\(\s*["']([^"']+)["']\s*,/g;

function isDestructive(code: string): boolean {
  return deletesTree(code) || runsDestruction(code) || writesDevice(code);
}

function deletesTree(code: string): boolean {
  return [...code.matchAll(DELETES)].some(({ index, 0: call }) => {
    const rest = code.slice(index + call.length).replace(EXPANDS, '');
    if (HOME.test(rest)) return true;
    // Joined with other text, it is another path.
    const path = /^["']([^"']{1,300})["'](?!\s*[+./%])/.exec(rest)?.[1];
    return path !== undefined && isWholeTree(path);
  });
}

/** Text for a shell, or the words of a command one by one. */
function runsDestruction(code: string): boolean {
  if (!RUNS.test(code)) return false;
  const literals = [...code.matchAll(LITERAL)].map(([, double, single, back]) => double ?? single ?? back ?? '');
  const at = literals.indexOf('rm');
  if (at !== -1 && isDestruction('rm', literals.slice(at + 1))) return true;
  const isShown = /\b(?:print|puts|echo|console\.log|write)\b/.test(code);
  return (
    !isShown && literals.some((text) => wordsOfText(text).some(([name = '', ...rest]) => isDestruction(name, rest)))
  );
}

function writesDevice(code: string): boolean {
  return [...code.matchAll(WRITES_DEVICE)].some(({ 1: path = '', index, 0: call }) => {
    const mode = code.slice(index + call.length).trimStart();
    return isBlockDevice(path) && (!call.startsWith('open') || /^(?:mode\s*=\s*)?["'][^"']*[wa+]/.test(mode));
  });
}
