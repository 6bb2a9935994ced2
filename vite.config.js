import { readdir, readFile, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import process from 'node:process';
import { brotliCompressSync, gzipSync } from 'node:zlib';

import { defineConfig, loadEnv } from 'vite';

/**
 * The builds of the two pages that the API serves, and a development server for each. With `--mode portal` the page is
 * the customer portal, otherwise the dashboard.
 */
export default defineConfig(({ mode }) => {
  const { POSTRIDER_PUBLIC_URL: service = 'http://127.0.0.1:3000' } = loadEnv(
    mode,
    process.cwd(),
    'POSTRIDER_',
  );
  const page = mode === 'portal' ? 'portal' : 'dashboard';
  return {
    root: page,
    base: `/${page}/`,
    plugins: [preloadFonts(), compressFiles()],
    build: {
      // The first browser versions with light-dark(), which every color uses.
      target: ['chrome123', 'firefox121', 'safari17.5'],
      // The policy of both pages allows files from its own origin, and no inline content.
      assetsInlineLimit: 0,
      modulePreload: { polyfill: false },
    },
    server: { proxy: { '/v1': service, '/docs': service, '/openapi.json': service } },
  };
});

/**
 * Adds a preload link for the font to the page, so that the font is loaded before the page shows text.
 * @returns {import('vite').Plugin}
 */
function preloadFonts() {
  return {
    name: 'preload-fonts',
    apply: 'build',
    transformIndexHtml: {
      order: 'post',
      handler: (_html, { bundle = {} }) =>
        Object.keys(bundle)
          .filter((file) => /^inter-latin-wght-normal.*\.woff2$/.test(basename(file)))
          .map((file) => ({
            tag: 'link',
            attrs: {
              rel: 'preload',
              as: 'font',
              type: 'font/woff2',
              crossorigin: '',
              href: `/dashboard/${file}`,
            },
            injectTo: 'head',
          })),
    },
  };
}

/** The files that compression makes smaller. Fonts and images are already compressed. */
const compressible = /\.(css|html|js|json|svg|txt|webmanifest)$/;
/** The size from which files are compressed, in bytes. A file below this limit fits into one packet. */
const leastCompressedBytes = 1024;

/**
 * Writes a compressed copy next to each file. The API sends the compressed copy to browsers that accept its coding.
 * @returns {import('vite').Plugin}
 */
function compressFiles() {
  return {
    name: 'compress-files',
    apply: 'build',
    writeBundle: async ({ dir = '' }) => {
      const entries = await readdir(dir, { recursive: true, withFileTypes: true });
      const files = entries.filter((entry) => entry.isFile() && compressible.test(entry.name));
      for (const { parentPath, name } of files) {
        const path = join(parentPath, name);
        const content = await readFile(path);
        if (content.length >= leastCompressedBytes) {
          await writeFile(`${path}.br`, brotliCompressSync(content));
          await writeFile(`${path}.gz`, gzipSync(content, { level: 9 }));
        }
      }
    },
  };
}
