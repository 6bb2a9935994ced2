import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

import { expect } from 'chai';

import { createDocumentationHandlers } from '../../../api/documentation/handlers.js';
import { readSwaggerUi } from '../../../api/documentation/swaggerUi.js';
import { isApiError } from '../../../api/http/apiError.js';
import { makeDirectory, removeDirectories } from '../../stack/directories.js';

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
    const handlers = createDocumentationHandlers(null);
    const replies = [await handlers.reference(), await handlers.file('swagger-ui.css')];
    for (const reply of replies) {
      expect(isApiError(reply) && reply.errorCode).to.equal('route_not_found');
      expect(isApiError(reply) && reply.message).to.contain('npm run build');
    }
  });
});
