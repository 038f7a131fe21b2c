// Every row that an ordinary user can try.

import { describeRows } from './every-row.ts';

describeRows('user');
