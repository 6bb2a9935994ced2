import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

import { assert, expect } from 'chai';

import { documentationRoutes } from '../../../api/documentation/routes.js';
import { readSwaggerUi } from '../../../api/documentation/swaggerUi.js';
import { isApiError } from '../../../api/http/apiError.js';
import type { RouteRequest } from '../../../api/http/route.js';
import { makeDirectory, removeDirectories } from '../../stack/directories.js';

const request: RouteRequest = {
  caller: null,
  id: '',
  query: {},
  body: null,
  posted: null,
  client: {
    trace: { network: '127.0.0.1', userAgent: null },
    cookies: undefined,
    sessionValue: null,
    lastEventId: null,
    isStillAuthorized: () => Promise.resolve(false),
  },
  runOnce: () => Promise.reject(new Error('the request has no idempotency key')),
};

describe('the files of Swagger UI', () => {
  afterEach(removeDirectories);

  it('are read from the folder that the build has written', async () => {
    const files = await readSwaggerUi('dist/swagger-ui');
    expect(files?.['swagger-ui.css']).to.deep.equal(await readFile('dist/swagger-ui/swagger-ui.css'));
  });

  it('are missing if the build has not run, or was interrupted', async () => {
    const folder = await makeDirectory();
    const before = await readSwaggerUi(folder);
    await writeFile(join(folder, 'swagger-ui.css'), '');
    expect([before, await readSwaggerUi(folder)]).to.deep.equal([null, null]);
  });

  it('are answered with a 404 that names the command if they are missing, as the page is', async () => {
    const routes = documentationRoutes(null);
    for (const path of ['/docs', '/docs/swagger-ui.css', '/docs/initializer.js']) {
      const reply = await routes.find((route) => route.path === path)?.respond(request);
      assert(reply !== undefined);
      expect(isApiError(reply) && reply.errorCode).to.equal('route_not_found');
      expect(isApiError(reply) && reply.message).to.contain('npm run build');
    }
  });
});
