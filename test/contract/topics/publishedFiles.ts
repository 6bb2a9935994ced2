import { readFileSync } from 'node:fs';

import { format, resolveConfig } from 'prettier';
import { stringify } from 'yaml';
import { z } from 'zod';

import { asyncApiDocument } from './asyncApi.js';
import { jsonSchemaOf, publicTopics } from './jsonSchemas.js';

/** The folder of the files that are generated from the declarations of the topics. */
export const publishedFolder = 'docs/topics';

const packageSchema = z.object({ version: z.string() });

/** The version of the package that contains the declarations. */
export function packageVersion(): string {
  return packageSchema.parse(JSON.parse(readFileSync('package.json', 'utf8'))).version;
}

/** The texts of the files by path: the AsyncAPI document, and a JSON Schema for the value of each type. */
export async function publishedFiles(): Promise<ReadonlyMap<string, string>> {
  const schemas = publicTopics().flatMap(([name, { headers, values }]) => [
    [`${name}/headers.json`, schemaFile(`headers of ${name}`, headers)] as const,
    ...[...values].map(([type, schema]) => [`${name}/${type}.json`, schemaFile(type, schema)] as const),
  ]);
  const files = [
    [
      'asyncapi.yaml',
      stringify(asyncApiDocument(packageVersion()), { aliasDuplicateObjects: false }),
    ] as const,
    ...schemas,
  ];
  return new Map(
    await Promise.all(
      files.map(async ([path, text]) => {
        const file = `${publishedFolder}/${path}`;
        return [file, await formatted(file, text)] as const;
      }),
    ),
  );
}

/** The text in the format that prettier requires. */
export async function formatted(file: string, text: string): Promise<string> {
  return format(text, { ...(await resolveConfig(file)), filepath: file });
}

function schemaFile(title: string, schema: z.ZodType): string {
  const content = { $schema: 'http://json-schema.org/draft-07/schema#', title, ...jsonSchemaOf(schema) };
  return JSON.stringify(content, null, 2);
}
