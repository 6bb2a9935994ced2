import { readFile } from 'node:fs/promises';

/**
 * The first code block below a heading of docs/receiving.md.
 * @throws Error if there is none
 */
export async function codeBelow(heading: string): Promise<string> {
  const page = await readFile('docs/receiving.md', 'utf8');
  const section = page.split(new RegExp(`^#+ ${heading}$`, 'm'))[1]?.split(/^##/m)[0];
  const code = section === undefined ? undefined : /^```\w+\n(.*?)^```/ms.exec(section)?.[1];
  if (code === undefined) {
    throw new Error(`docs/receiving.md has no code below the heading "${heading}".`);
  }
  return code;
}
