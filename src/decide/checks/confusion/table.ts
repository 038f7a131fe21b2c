// Checks on text that a person, or another tool, would read differently than bash.

import type { Check } from '../../check.ts';
import { CHARACTER_CHECKS } from './characters.ts';
import { ENCODING_CHECKS } from './encodings.ts';
import { HIDDEN_CODE_CHECKS } from './hidden-code.ts';
import { LAYOUT_CHECKS } from './layout.ts';
import { LOOK_ALIKE_CHECKS } from './look-alikes.ts';
import { NAME_CHECKS } from './names.ts';
import { PATH_NAME_CHECKS } from './paths.ts';
import { URL_CHECKS } from './urls.ts';
import { ZSH_CHECKS } from './zsh.ts';

export const CONFUSION_CHECKS: readonly Check[] = [
  ...CHARACTER_CHECKS,
  ...LOOK_ALIKE_CHECKS,
  ...LAYOUT_CHECKS,
  ...HIDDEN_CODE_CHECKS,
  ...NAME_CHECKS,
  ...ENCODING_CHECKS,
  ...PATH_NAME_CHECKS,
  ...URL_CHECKS,
  ...ZSH_CHECKS,
];
