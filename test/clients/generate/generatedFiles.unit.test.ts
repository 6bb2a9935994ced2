import { readFileSync } from 'node:fs';

import { expect } from 'chai';

import { generatedFiles } from '../../../clients/generate/generatedFiles.js';
import { readModel } from '../../../clients/generate/readModel.js';
import { describedApi } from '../../contract/describedApi.js';

const document = describedApi();

describe('the client libraries', () => {
  it('are those of the OpenAPI document (npm run clients)', () => {
    for (const { path, text } of generatedFiles(document)) {
      expect(readFileSync(path, 'utf8'), path).to.equal(text);
    }
  });

  it('have one method for each operation that takes an API key', () => {
    const described = Object.values(document.paths)
      .flatMap((methods) => Object.values(methods))
      .filter(({ security }) => security.some((requirement) => requirement['apiKey'] !== undefined))
      .map(({ operationId }) => operationId);
    const methods = readModel(document).resources.flatMap(({ name, operations }) =>
      operations.map((operation) => ({ id: operation.id, call: `${name}.${operation.name}` })),
    );
    expect(methods.map(({ id }) => id)).to.have.members(described);
    expect(new Set(methods.map(({ call }) => call)).size).to.equal(described.length);
  });
});
