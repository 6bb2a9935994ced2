/** The stylesheet of the pages: light and dark as the reader's system is, one column where there is no room for two. */
export const style = `:root {
  color-scheme: light dark;
  --text: #1c2127;
  --quiet: #56606b;
  --ground: #ffffff;
  --raised: #f3f5f7;
  --line: #d5dbe1;
  --accent: #0b5fb4;
  font: 1rem/1.55 system-ui, sans-serif;
}
@media (prefers-color-scheme: dark) {
  :root {
    --text: #e4e8ec;
    --quiet: #a3adb8;
    --ground: #14181c;
    --raised: #1e242a;
    --line: #3a434c;
    --accent: #7db9f5;
  }
}
* { box-sizing: border-box; }
html { scroll-padding-top: 1rem; }
body { margin: 0; color: var(--text); background: var(--ground); overflow-wrap: break-word; }
a { color: var(--accent); }
:focus-visible { outline: 3px solid var(--accent); outline-offset: 2px; }
main:focus { outline: none; }
.skip { position: absolute; left: -100rem; padding: 0.5rem 1rem; background: var(--ground); }
.skip:focus { left: 0; top: 0; }
header { display: flex; flex-wrap: wrap; gap: 0.5rem 1.5rem; padding: 0.8rem 1rem; border-bottom: 1px solid var(--line); }
header .name { margin-right: auto; font-weight: 700; color: inherit; text-decoration: none; }
nav { padding: 1rem; font-size: 0.9rem; }
nav ul { display: flex; flex-wrap: wrap; gap: 0.4rem 1rem; margin: 0; padding: 0; list-style: none; }
nav ul ul { display: none; }
nav a { text-decoration: none; }
nav a:hover { text-decoration: underline; }
main { min-width: 0; max-width: 56rem; padding: 0 1rem 4rem; }
h1, h2, h3, h4 { line-height: 1.25; margin: 2rem 0 0.6rem; }
h1 { font-size: 1.9rem; margin-top: 1rem; }
h2 { font-size: 1.5rem; }
h3 { font-size: 1.2rem; }
h4 { font-size: 1rem; margin-top: 1.4rem; }
h2 a, h3 a { color: inherit; text-decoration: none; }
h2 a:hover, h3 a:hover { text-decoration: underline; }
section section { border-top: 1px solid var(--line); margin-top: 2rem; }
code, pre { font-family: ui-monospace, SFMono-Regular, Menlo, Consolas, monospace; font-size: 0.875em; }
pre { overflow-x: auto; margin: 0.8rem 0; padding: 0.8rem 1rem; background: var(--raised); border: 1px solid var(--line); border-radius: 6px; }
pre code { font-size: 0.85rem; }
.route { font-size: 1.05rem; }
.method { display: inline-block; padding: 0.05rem 0.5rem; border: 1px solid currentColor; border-radius: 4px; font-size: 0.8rem; font-weight: 700; color: var(--accent); }
.wide { overflow-x: auto; }
table { width: 100%; border-collapse: collapse; font-size: 0.92rem; }
caption { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); white-space: nowrap; }
th, td { padding: 0.45rem 0.9rem 0.45rem 0; border-bottom: 1px solid var(--line); text-align: left; vertical-align: top; }
thead th { color: var(--quiet); font-weight: 600; }
tbody th { font-weight: 400; white-space: nowrap; }
small { color: var(--quiet); }
.errors { display: flex; flex-wrap: wrap; gap: 0.3rem 1.2rem; padding: 0; list-style: none; }
dt { margin-top: 1rem; font-weight: 600; }
dd { margin: 0.2rem 0 0; }
@media (max-width: 40rem) {
  thead { position: absolute; clip-path: inset(50%); }
  tr { display: block; padding: 0.5rem 0; border-bottom: 1px solid var(--line); }
  th, td { display: block; padding: 0.1rem 0; border: 0; white-space: normal; }
}
@media (min-width: 64rem) {
  .columns { display: grid; grid-template-columns: 17rem minmax(0, 1fr); }
  nav { position: sticky; top: 0; max-height: 100vh; overflow-y: auto; align-self: start; border-right: 1px solid var(--line); }
  nav ul, nav ul ul { display: block; }
  nav li { margin: 0.15rem 0; }
  nav > ul > li { margin-bottom: 0.9rem; font-weight: 600; }
  nav ul ul { padding-left: 0.8rem; font-weight: 400; }
  main { padding: 0 3rem 4rem; }
}
`;
