import js from '@eslint/js';
import { defineConfig, globalIgnores } from 'eslint/config';
import reactHooks from 'eslint-plugin-react-hooks';
import tseslint from 'typescript-eslint';

/** The limits for the size and the complexity of functions and files, which catch only the absurd. */
const budgets = {
  // An exhaustive switch over a union counts as one branch, however many cases the switch has.
  complexity: ['error', { max: 10, variant: 'modified' }],
  'max-depth': ['error', 3],
  'max-params': ['error', 4],
  'max-lines-per-function': ['error', { max: 250, skipBlankLines: true, skipComments: true }],
  'max-lines': ['error', 600],
};

const defaultExports = ['ExportDefaultDeclaration', "ExportSpecifier[exported.name='default']"].map(
  (selector) => ({
    selector,
    message: 'Export it by its name, so that it is called the same everywhere.',
  }),
);

const forcedTypes = {
  selector:
    "TSAsExpression[expression.type='TSAsExpression'][expression.typeAnnotation.type='TSUnknownKeyword']",
  message: 'Check the value (a zod schema, a type guard) instead of forcing its type.',
};

const namedEnvironmentReads = [
  "MemberExpression[object.object.name='process'][object.property.name='env']",
  "VariableDeclarator[id.type='ObjectPattern'][init.object.name='process'][init.property.name='env']",
].map((selector) => ({
  selector,
  message:
    'Add the setting to shared/settings/config.ts. The environment is only handed on whole: loadConfig(process.env).',
}));

const environmentReads = {
  object: 'process',
  property: 'env',
  message: 'Take the setting as an argument; shared/settings/config.ts names all.',
};

const readsInAllAccounts = {
  property: 'findInAllAccounts',
  message: 'Use findByIds: a caller sees only the documents of its account.',
};

export default defineConfig(
  globalIgnores([
    'dist/',
    'clients/typescript/dist/',
    'dashboard/dist/',
    'portal/dist/',
    'coverage/',
    '.postrider/',
    'test/contract/generated/',
    // Programs for generated clients, which exist only in the cache.
    'test/contract/generators/',
  ]),
  {
    linterOptions: { noInlineConfig: true },
    extends: [js.configs.recommended],
    rules: {
      ...budgets,
      eqeqeq: 'error',
      'no-console': 'error',
      'no-restricted-imports': [
        'error',
        { name: 'node:process', importNames: ['env'], message: 'Use process.env.' },
      ],
      'no-restricted-syntax': ['error', forcedTypes, ...defaultExports],
    },
  },
  {
    files: ['**/*.{ts,tsx}'],
    extends: [tseslint.configs.strictTypeChecked, tseslint.configs.stylisticTypeChecked],
    languageOptions: { parserOptions: { projectService: true, tsconfigRootDir: import.meta.dirname } },
    rules: {
      '@typescript-eslint/ban-ts-comment': ['error', { 'ts-expect-error': true }],
      '@typescript-eslint/consistent-type-exports': 'error',
      '@typescript-eslint/consistent-type-imports': 'error',
      // No method of this project uses `this`, so a method may be passed without its object.
      '@typescript-eslint/method-signature-style': ['error', 'property'],
      '@typescript-eslint/no-confusing-void-expression': ['error', { ignoreArrowShorthand: true }],
      '@typescript-eslint/no-unused-vars': ['error', { ignoreRestSiblings: true }],
      '@typescript-eslint/restrict-template-expressions': ['error', { allowNumber: true }],
      '@typescript-eslint/switch-exhaustiveness-check': [
        'error',
        { considerDefaultExhaustiveForUnions: true, requireDefaultForNonUnion: true },
      ],
      'no-restricted-properties': ['error', environmentReads],
    },
  },
  {
    files: ['api/**/*.ts'],
    rules: { 'no-restricted-properties': ['error', environmentReads, readsInAllAccounts] },
  },
  {
    // Patterns of schemas and data are hostile. Only matchPattern counts its steps.
    files: ['shared/jsonSchema/check/**/*.ts'],
    rules: {
      'no-restricted-globals': [
        'error',
        { name: 'RegExp', message: 'Use matchPattern, which counts steps.' },
      ],
      'no-restricted-syntax': [
        'error',
        forcedTypes,
        ...defaultExports,
        { selector: 'Literal[regex]', message: 'Use matchPattern, which counts steps.' },
      ],
    },
  },
  {
    // Entry points may read the environment, because they pass it to loadConfig and to child processes.
    files: ['cli/**/*.ts', 'clients/conformance/**/*.ts', 'stack/**/*.ts', 'bench/**/*.ts', 'test/**/*.ts'],
    rules: {
      'no-restricted-properties': 'off',
      'no-restricted-syntax': ['error', forcedTypes, ...defaultExports, ...namedEnvironmentReads],
    },
  },
  {
    // Test tables of cases are long, and are read from top to bottom.
    files: ['clients/conformance/**/*.ts', 'test/**/*.ts'],
    rules: { 'max-lines-per-function': 'off' },
  },
  {
    files: ['{dashboard,portal}/**/*.{ts,tsx}'],
    plugins: { 'react-hooks': reactHooks },
    rules: { 'react-hooks/rules-of-hooks': 'error', 'react-hooks/exhaustive-deps': 'error' },
  },
  { files: ['cli/**', 'bench/**', 'examples/**'], rules: { 'no-console': 'off' } },
  { files: ['examples/**'], rules: { 'no-restricted-properties': 'off' } },
  {
    files: ['examples/**'],
    languageOptions: {
      globals: {
        process: 'readonly',
        console: 'readonly',
        Buffer: 'readonly',
        fetch: 'readonly',
        URL: 'readonly',
      },
    },
  },
  {
    files: ['examples/portal/public/**'],
    languageOptions: {
      globals: { document: 'readonly', addEventListener: 'readonly', setTimeout: 'readonly' },
    },
  },
  {
    // One file has all types of the API, and a response has the type that the document says.
    files: ['clients/typescript/src/generated/**'],
    rules: { 'max-lines': 'off', '@typescript-eslint/no-unnecessary-type-assertion': 'off' },
  },
  {
    // The tools that read these configuration files require a default export.
    files: ['*.config.{js,ts}', '.dependency-cruiser.js', 'test/support/reporter.ts'],
    rules: { 'no-restricted-syntax': ['error', forcedTypes] },
  },
);
