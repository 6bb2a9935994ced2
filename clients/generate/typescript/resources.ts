import type { Api, Resource } from '../model.js';
import { methodText, parametersText } from './methods.js';
import { capitalized, fileText, importOf } from './text.js';
import { typeContext } from './typeText.js';

/** The file with the class of one resource. */
export function resourceFile(resource: Resource, api: Api): string {
  const context = typeContext(api);
  const parameters = resource.operations.map((operation) => parametersText(operation, context));
  const methods = resource.operations.map((operation) => methodText(operation, context));
  const code = [...parameters.filter((text) => text !== ''), classText(resource, methods)].join('\n');
  const values = [
    { names: ['path'], from: '../../http/address.js' },
    { names: ['List'], from: '../../paging/list.js' },
    { names: ['followStream'], from: '../../stream/followStream.js' },
  ];
  const types = [
    { names: ['HttpClient'], from: '../../http/httpClient.js' },
    {
      names: ['RequestOptions', 'IdempotentRequestOptions', 'RawDataOptions'],
      from: '../../http/requestOptions.js',
    },
    { names: ['DataAs'], from: '../../json/dataAs.js' },
    { names: ['PageContent'], from: '../../paging/page.js' },
    { names: api.types.map(({ name }) => name), from: '../types.js' },
  ];
  const imports = [
    ...values.map((each) => importOf({ ...each, isType: false }, code)),
    ...types.map((each) => importOf(each, code)),
  ];
  return fileText([imports.join(''), code]);
}

function classText(resource: Resource, methods: readonly string[]): string {
  return `/** The operations of \`postrider.${resource.name}\`. */
export class ${classOf(resource)} {
  readonly #client: HttpClient;

  constructor(client: HttpClient) {
    this.#client = client;
  }

${methods.join('\n')}}
`;
}

/** The file with the class of which the client has each resource. */
export function resourcesFile({ resources }: Api): string {
  const imports = resources.map(
    (resource) => `import { ${classOf(resource)} } from './resources/${resource.name}.js';\n`,
  );
  const exports = resources.map(({ name }) => `export type * from './resources/${name}.js';\n`);
  const properties = resources.map((resource) => `  readonly ${resource.name}: ${classOf(resource)};\n`);
  const assignments = resources.map(
    (resource) => `    this.${resource.name} = new ${classOf(resource)}(client);\n`,
  );
  return fileText([
    `import type { HttpClient } from '../http/httpClient.js';\n${imports.join('')}`,
    exports.join(''),
    `/** The operations of the API, by resource. */
export class Resources {
${properties.join('')}
  constructor(client: HttpClient) {
${assignments.join('')}  }
}
`,
  ]);
}

function classOf({ name }: Resource): string {
  return `${capitalized(name)}Resource`;
}
