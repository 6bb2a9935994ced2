import { mkdirSync, writeFileSync } from 'node:fs';

import openapiTS, { astToString } from 'openapi-typescript';

import { describedApi } from './describedApi.js';

/** The folder of the OpenAPI document for tools, and of the types of its client for tests. Both are generated, and never committed. */
const folder = new URL('./generated/', import.meta.url);

const document = JSON.stringify(describedApi(), null, 2);
const types = astToString(await openapiTS(document, { defaultNonNullable: false }));

mkdirSync(folder, { recursive: true });
writeFileSync(new URL('openapi.json', folder), document);
writeFileSync(new URL('api.ts', folder), types);
