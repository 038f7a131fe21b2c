// `npm run build`: dist/ from src/, if it is not current.

import { ready } from './ready.js';

ready();
