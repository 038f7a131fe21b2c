// `npm run build`: dist/ from src/, when it is not current.

import { ready } from './ready.js';

ready();
