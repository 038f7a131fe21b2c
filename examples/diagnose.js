// `diagnose` tries to escape from the sandbox; `learn` finds the settings that a command needs.
import { diagnose, learn } from 'hardshell';

const { guarantees } = await diagnose();
console.log(guarantees.find(({ guarantee }) => guarantee === 'writes-outside').verdict); // held
const { end } = await learn('touch new-file', { assumeYes: true });
console.log(end); // settled
