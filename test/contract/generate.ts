import { mkdirSync, writeFileSync } from 'node:fs';

import openapiTS, { astToString } from 'openapi-typescript';

import { describedApi } from './describedApi.js';
import { forgetSeen } from './seen.js';

/** Where tools find the OpenAPI document, and the tests the types of its client. Both are made anew, and never committed. */
const folder = new URL('./generated/', import.meta.url);

const document = JSON.stringify(describedApi(), null, 2);
const types = astToString(await openapiTS(document));

mkdirSync(folder, { recursive: true });
writeFileSync(new URL('openapi.json', folder), document);
writeFileSync(new URL('api.ts', folder), types);
// Of an API that may have been another one.
forgetSeen();
