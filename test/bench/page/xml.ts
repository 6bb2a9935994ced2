const tag = /<(\/?)(\w+)((?: [\w:-]+="[^"<]*")*) ?(\/?)>/g;

/** The faults of a text that is not well-formed: unclosed elements, unopened elements, and unescaped text. */
export function malformedIn(xml: string): readonly string[] {
  const open: string[] = [];
  const wrong: string[] = [];
  for (const [, close, name = '', , empty] of xml.matchAll(tag)) {
    if (close === '') {
      open.push(...(empty === '' ? [name] : []));
    } else if (open.pop() !== name) {
      wrong.push(name);
    }
  }
  const stray = xml.replaceAll(tag, '').match(/<|&(?!(?:amp|lt|gt|quot|#160);)/g) ?? [];
  return [...open, ...wrong, ...stray];
}

/** The attributes of each element with this name. */
export function elementsIn(xml: string, name: string): readonly Readonly<Record<string, string>>[] {
  return [...xml.matchAll(tag)]
    .filter(([, close, found]) => close === '' && found === name)
    .map(([, , , attributes = '']) =>
      Object.fromEntries(
        [...attributes.matchAll(/([\w:-]+)="([^"]*)"/g)].map(([, key = '', value = '']) => [key, value]),
      ),
    );
}

/** The content of each group with this class. Groups that contain groups are not found. */
export function groupsIn(svg: string, className: string): readonly string[] {
  const group = new RegExp(`<g [^>]*class="${className}"[^>]*>((?:(?!<g).)*?)</g>`, 'g');
  return [...svg.matchAll(group)].map(([, content = '']) => content);
}
