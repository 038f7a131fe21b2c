// A profile is a set of tools for a model, each with its schema; `hardshell/adapters` gives them other shapes.
import { createShell } from 'hardshell';
import { PROFILES, profileOf } from 'hardshell/profiles';

const shell = createShell();
const { tools } = profileOf('claude-code');
console.log(PROFILES.includes('claude-code'), tools[0].name); // true Bash
await shell.close();
