// `analyze` says what a command would do; `parse` and `tokenize` give its syntax; `previewSedEdit` shows an edit.
import { analyze, parse, previewSedEdit, tokenize } from 'hardshell';

const { effects, readOnly } = analyze('rm -rf build/*.o > log', { cwd: '/w' });
console.log(readOnly, effects.deletes[0].path, effects.writes[0].path); // false /w/build/*.o /w/log
console.log(parse('echo "unfinished').problem.id); // syntax
console.log(tokenize('ls -l | wc')[1].text); // -l
console.log(previewSedEdit('a b\n', { script: 's/a/x/', extended: false }).content); // x b
