import { readModel } from '../../clients/generate/readModel.js';
import type { Operation } from '../../clients/generate/model.js';
import { describedApi } from '../contract/describedApi.js';

const operations = readModel(describedApi()).resources.flatMap((resource) => resource.operations);

/** The ids of all operations that a client library has, sorted. */
export const operationIds: readonly string[] = [...new Set(operations.map(({ id }) => id))].sort();

/** The operation of a request to the API. A dry run is the same operation. */
export function operationOf(method: string, pathname: string): Operation | undefined {
  return operations.find(
    ({ httpMethod, path }) =>
      httpMethod === method && new RegExp(`^${path.replaceAll(/\{\w+\}/g, '[^/]+')}$`).test(pathname),
  );
}
