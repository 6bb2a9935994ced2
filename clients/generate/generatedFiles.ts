import type { OpenApiDocument } from '../../api/openapi/openApiTypes.js';
import type { GeneratedFile } from './model.js';
import { emitPython } from './python.js';
import { readModel } from './readModel.js';
import { emitTypeScript } from './typescript.js';

/** The generated files of all client libraries. */
export function generatedFiles(document: OpenApiDocument): readonly GeneratedFile[] {
  const api = readModel(document);
  return [...emitTypeScript(api), ...emitPython(api)];
}
