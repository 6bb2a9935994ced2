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

  it('have a method for each operation that takes an API key', () => {
    const described = Object.values(document.paths)
      .flatMap((methods) => Object.values(methods))
      .filter(({ security }) => security.some((requirement) => requirement['apiKey'] !== undefined))
      .map(({ operationId }) => operationId);
    const methods = readModel(document).resources.flatMap(({ name, operations }) =>
      operations.map((operation) => ({ id: operation.id, call: `${name}.${operation.name}` })),
    );
    expect([...new Set(methods.map(({ id }) => id))]).to.have.members(described);
    expect(new Set(methods.map(({ call }) => call)).size).to.equal(methods.length);
  });

  it('have a method of its own for each dry run, whose result is another type', () => {
    const { resources, types } = readModel(document);
    const methods = resources
      .flatMap(({ operations }) => operations)
      .filter(({ id }) => id === 'createReplay' || id === 'putEventType')
      .map(({ name, flag, queryParameters, result }) => {
        const type = result.kind === 'single' && result.type.kind === 'named' ? result.type.name : null;
        return { name, place: flag?.place ?? null, query: queryParameters.length, type };
      });
    expect(methods).to.deep.equal([
      { name: 'put', place: null, query: 0, type: 'EventType' },
      { name: 'dryRun', place: 'query', query: 0, type: 'EventTypeDryRun' },
      { name: 'create', place: null, query: 0, type: 'Replay' },
      { name: 'dryRun', place: 'body', query: 0, type: 'ReplayDryRun' },
    ]);
    const definition = types.find(({ name }) => name === 'ReplayDryRun')?.definition;
    const fields = definition?.kind === 'object' ? definition.fields : [];
    expect(fields.map(({ name, isRequired }) => ({ name, isRequired }))).to.deep.equal(
      ['matched', 'complete', 'until'].map((name) => ({ name, isRequired: true })),
    );
  });
});
