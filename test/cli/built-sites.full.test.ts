import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import sharp from 'sharp';
import { afterAll, expect, test } from 'vitest';
import { filesIn, served } from '../deploys/served-folder.ts';
import { startService } from '../helpers/service.ts';
import { type Terminal, terminal } from './command.ts';

const service = await startService();
const terminals: Terminal[] = [];
afterAll(async () => {
  await Promise.all(terminals.map((one) => one.remove()));
  await service.stop();
});
const vite = fileURLToPath(new URL('../../node_modules/vite/bin/vite.js', import.meta.url));

/**
 * An application as its author has it: two pages that share a script, a script that is loaded when it is needed, a worker, a style
 * sheet, a picture, and files taken as they are.
 */
const sources: Readonly<Record<string, string>> = {
  'index.html':
    '<!doctype html><title>Shop</title><main id="shop"></main><script type="module" src="/src/main.ts"></script>',
  'about/index.html':
    '<!doctype html><title>About</title><main id="shop"></main><script type="module" src="/src/about.ts"></script>',
  'src/main.ts': `import { show } from './show.ts';
    import('./prices.ts').then(({ prices }) => show(prices.join(', ')));
    const worker = new Worker(new URL('./sums.ts', import.meta.url), { type: 'module' });
    worker.onmessage = ({ data }) => show(String(data));
    worker.postMessage([1, 2]);`,
  'src/about.ts': "import { show } from './show.ts'; show('A shop');",
  'src/show.ts': `import './style.css';
    export const show = (text: string): void => { document.querySelector('#shop')!.textContent = text; };`,
  'src/prices.ts': "export const prices: readonly string[] = ['1 €', '2 €'];",
  'src/sums.ts': 'onmessage = ({ data: [one, other] }) => postMessage(one + other);',
  'src/style.css': "main { background: url('./leaf.png') }",
  'public/robots.txt': 'User-agent: *\n',
  'public/über uns.html': '<!doctype html><title>Über uns</title>',
};

/** Larger than the pictures that Vite writes into the style sheet. */
const leaf = await sharp({
  create: {
    width: 64,
    height: 64,
    channels: 3,
    background: 'white',
    noise: { type: 'gaussian', mean: 128, sigma: 40 },
  },
})
  .png()
  .toBuffer();

test.each([
  // Vite writes fingerprints in base64, which a name like any other may look like.
  ['as it is', '', 0],
  // Two pages with a script each, and the script that they share; prices and the worker; the style sheet and the picture.
  ['with hexadecimal fingerprints', "output: { hashCharacters: 'hex' }", 7],
])(
  'a site of several pages that Vite %s builds is served byte for byte, and browsers keep what has a fingerprint',
  async (_, output, count) => {
    const ada = await terminal(service.url);
    terminals.push(ada);
    await ada.svc('init');
    for (const folder of ['about', 'src', 'public']) await mkdir(join(ada.checkout, folder));
    for (const [name, text] of Object.entries(sources)) await ada.file(name, text);
    await writeFile(join(ada.checkout, 'src/leaf.png'), leaf);
    const worker = output === '' ? '' : `worker: { rolldownOptions: { ${output} } },`;
    await ada.file(
      'vite.config.mjs',
      `export default { ${worker} build: { rolldownOptions: { input: ['index.html', 'about/index.html'], ${output} } } };`,
    );
    await ada.file('svc.json', {
      app: { id: 'shop' },
      build: { commands: [{ id: 'vite', argv: ['node', vite, 'build'] }] },
      release: { site: { replace: { __source: 'local-dir', path: 'dist' } } },
    });
    const up = await ada.svc('up');
    expect(up.error).toBeUndefined();
    expect(up.json).toMatchObject({ status: 'ready' });

    const files = await filesIn(join(ada.checkout, 'dist'));
    expect([...files.keys()].filter((path) => !path.startsWith('assets/')).sort()).toEqual([
      'about/index.html',
      'index.html',
      'robots.txt',
      'über uns.html',
    ]);
    expect(files.size).toBe(11);
    const { differences, kept } = await served(service, new URL(up.json.url).hostname, files);
    expect(differences).toEqual([]);
    expect(kept).toHaveLength(count);
    expect(kept.every((path) => path.startsWith('/assets/'))).toBe(true);
  },
);
