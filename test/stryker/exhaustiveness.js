import { declareValuePlugin, PluginKind } from '@stryker-mutator/api/plugin';

const exhaustive = /^default:\s*\{\s*const never\b/;

/** Ignores the default case of an exhaustive switch: no value reaches it, so no test can. */
export const strykerPlugins = [
  declareValuePlugin(PluginKind.Ignore, 'exhaustiveness', {
    shouldIgnore: (path) =>
      path.isSwitchCase() && exhaustive.test(path.toString()) ? 'it is unreachable' : undefined,
  }),
];
