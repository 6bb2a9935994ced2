import { writeFileSync } from 'node:fs';

import { errorsPage } from './errorsPage.js';

writeFileSync('docs/errors.md', errorsPage());
