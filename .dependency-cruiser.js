const production = '^(api|cli|consumers|projections|shared|stack)/';
const purePartsOfShared = '^shared/(domain/|core/(clock|errors)\\.ts$|runtime/processStat\\.ts$)';

/**
 * The imports from this project that each folder may have, in addition to its own modules. The program in cli/ connects
 * all folders.
 */
const importsOfFolders = {
  api: '^shared/',
  cli: production,
  consumers: '^shared/',
  // The dashboard depends only on the OpenAPI document of the API.
  dashboard: '^test/contract/generated/',
  // The portal has components of the dashboard. Its views are separate from the views of the dashboard.
  portal:
    '^(dashboard/(api|appearance|components|events|eventTypes|health|integration|navigation|recovery|replays|webhooks)/|test/contract/generated/)',
  projections: '^shared/',
  shared: '^shared/',
  stack: purePartsOfShared,
};

/**
 * The folder of production code that may import each package, so that the hazards of a package are handled in one
 * place.
 */
const homesOfPackages = {
  koa: { packages: '@koa/[^/]+|koa|koa-[^/]+', home: '^api/' },
  kafkajs: { packages: 'kafkajs', home: '^shared/log/' },
  // The local stack initiates a replica set on a new mongod before the service can connect.
  mongodb: {
    packages: 'mongodb|mongodb-connection-string-url',
    home: '^(shared/store/|shared/settings/mongodb\\.ts$|stack/servers/mongod\\.ts$)',
  },
  aws: { packages: '@aws-sdk/[^/]+|aws4', home: '^shared/log/sasl/' },
  redis: { packages: 'ioredis|rate-limiter-flexible', home: '^shared/store/redis/' },
  'node-fetch': { packages: 'node-fetch', home: '^consumers/http/' },
};

const folderRules = Object.entries(importsOfFolders).map(([folder, allowed]) => ({
  name: `folders-${folder}`,
  comment: `${folder}/ imports no other folder of the project than itself and ${allowed}`,
  severity: 'error',
  from: { path: `^${folder}/` },
  to: { dependencyTypes: ['local'], pathNot: [`^${folder}/`, allowed] },
}));

const packageRules = Object.entries(homesOfPackages).map(([name, { packages, home }]) => ({
  name: `packages-${name}`,
  comment: `${packages} is imported only in ${home}`,
  severity: 'error',
  from: { path: production, pathNot: home },
  to: { path: `node_modules/(@types/)?(${packages})/` },
}));

/** The folders whose dependencies have one direction at any depth. */
const layered = 'api|bench|cli|consumers|dashboard|portal|projections|shared|stack';

/**
 * A folder connects its subfolders, so a subfolder does not import the folder's own modules. Each depth of folders has
 * its own rule.
 */
const parentRules = [1, 2, 3].map((depth) => {
  const folder = `(?:${layered})${'/[^/]+'.repeat(depth - 1)}`;
  return {
    name: `parents-wire-children-${depth}`,
    comment: 'A folder imports its subfolders, and never the other way round',
    severity: 'error',
    from: { path: `^(${folder})/[^/]+/` },
    to: { path: '^$1/[^/]+\\.tsx?$' },
  };
});

/** @type {import('dependency-cruiser').IConfiguration} */
export default {
  forbidden: [
    ...folderRules,
    ...packageRules,
    {
      name: 'domain-is-pure',
      comment:
        'Decisions and folds give the same answer everywhere: their modules import no clock, network, file or server',
      severity: 'error',
      from: { path: '^shared/domain/' },
      to: {
        pathNot: ['^shared/domain/', '^(node:)?(buffer|crypto)$', 'node_modules/(ipaddr\\.js|ulid|zod)/'],
      },
    },
    {
      name: 'developer-commands-are-light',
      comment:
        'They run without the service and start at once, so they load nothing of it but pure functions',
      severity: 'error',
      from: { path: '^cli/developer/' },
      to: {
        pathNot: [
          '^cli/(developer|terminal)/',
          '^shared/(domain/|core/(errors|random)\\.ts$)',
          'node_modules/(commander|eventsource-parser|picocolors)/',
        ],
        dependencyTypesNot: ['core', 'type-only'],
      },
    },
    {
      name: 'client-library-stands-alone',
      comment:
        'It runs on every platform that has fetch, so it imports no package and no module of Node, and nothing of the service',
      severity: 'error',
      from: { path: '^clients/typescript/src/' },
      to: { pathNot: '^clients/typescript/src/' },
    },
    {
      name: 'schemas-compile-in-workers',
      comment: 'The compiler of JSON Schemas may take long, so only the worker of the API imports it',
      severity: 'error',
      from: { path: production, pathNot: '^(api/eventTypes/worker|shared/jsonSchema/compiler)/' },
      // Types vanish when the code is built.
      to: { path: '^shared/jsonSchema/compiler/', dependencyTypesNot: ['type-only'] },
    },
    {
      name: 'packages-regexpp',
      comment: 'Patterns are parsed only by the compiler of JSON Schemas',
      severity: 'error',
      from: { path: production, pathNot: '^shared/jsonSchema/compiler/' },
      to: { path: 'node_modules/@eslint-community/regexpp/' },
    },
    ...parentRules,
    {
      name: 'folder-cycles',
      comment:
        'No two folders import each other, directly or through others: dependencies have one direction',
      severity: 'error',
      scope: 'folder',
      from: { path: `^(${layered})/` },
      to: { circular: true },
    },
    {
      name: 'no-cycles',
      severity: 'error',
      from: {},
      to: { circular: true },
    },
    {
      name: 'no-orphans',
      comment: 'A module that imports nothing and that nothing imports: use it or remove it',
      severity: 'error',
      from: {
        orphan: true,
        pathNot: ['\\.d\\.ts$', '^\\.dependency-cruiser\\.js$', '^examples/portal/public/'],
      },
      to: {},
    },
    {
      name: 'no-development-dependencies',
      comment: 'The package is installed without them; types vanish when it is built',
      severity: 'error',
      from: { path: production },
      to: {
        dependencyTypes: ['npm-dev'],
        dependencyTypesNot: ['type-only'],
        pathNot: 'node_modules/@types/',
      },
    },
    {
      name: 'no-undeclared-packages',
      comment: 'Add it to package.json: it is there today only because something else needs it',
      severity: 'error',
      from: {},
      to: { dependencyTypes: ['npm-no-pkg', 'npm-unknown'] },
    },
    {
      name: 'no-unresolvable-imports',
      severity: 'error',
      from: {},
      to: { couldNotResolve: true },
    },
  ],
  options: {
    doNotFollow: { path: 'node_modules' },
    // The programs with generated clients import code that only their own test generates. The driver of a client library
    // imports the library as it is installed.
    exclude: {
      path: '^(coverage|dist|clients/typescript/(conformance|dist)|dashboard/dist|portal/dist|test/contract/generators|\\.postrider)/',
    },
    tsConfig: { fileName: 'tsconfig.json' },
    // Imports of types also count, because they couple two modules like other imports.
    tsPreCompilationDeps: true,
    enhancedResolveOptions: {
      exportsFields: ['exports'],
      conditionNames: ['import', 'node', 'default', 'types'],
    },
  },
};
