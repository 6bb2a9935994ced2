/**
 * What keeps a text from being well-formed: elements that are left open or closed twice, and text between them that is no
 * text of XML.
 */
export function openElements(xml: string): readonly string[] {
  const open: string[] = [];
  const wrong: string[] = [];
  const rest = xml.replaceAll(
    /<(\/?)(\w+)((?: [\w:]+="[^"<]*")*)(\/?)>/g,
    (_tag, close: string, name: string) => {
      if (close === '') {
        open.push(name);
      } else if (open.pop() !== name) {
        wrong.push(name);
      }
      return '';
    },
  );
  const stray = rest.match(/<|&(?!(?:amp|lt|gt|quot);)/g) ?? [];
  return [...open, ...wrong, ...stray];
}
