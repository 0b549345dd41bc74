import type { Call, Group } from '../command.ts';
import { everyCommand } from '../every-command.ts';
import { badUsage } from '../failure.ts';
import { operationCommand, take } from '../operation-command.ts';
import { rows } from '../operations/cache.ts';

/** The parts of an address. @throws BAD_USAGE */
function partsOf(given: string): { readonly host: string; readonly path: string } {
  const url = URL.parse(given.includes('://') ? given : `https://${given}`);
  if (url === null || url.hostname === '') throw badUsage(`${given} is no address.`, { field: 'url' });
  return { host: url.hostname, path: url.pathname + url.search };
}

/** What an invalidation names: by addresses, or by the flags alone. */
function pagesOf({ positionals, flags }: Call): Readonly<Record<string, unknown>> {
  if (positionals.urls === undefined) return {};
  const urls = positionals.urls.split(' ').filter((one) => one !== '');
  const kind = flags.text('kind') ?? (urls.length > 1 ? 'many' : 'exact');
  if (kind === 'many') return { kind, urls: urls.map((one) => (one.includes('://') ? one : `https://${one}`)) };
  if (urls.length > 1) throw badUsage(`Give one address with --kind ${kind}.`, { field: 'urls' });
  const { host, path } = partsOf(urls[0]!);
  const named = kind === 'prefix' ? { prefix: path } : kind === 'exact' ? { path } : {};
  return { kind, host, urls: undefined, ...named };
}

export const group: Group = {
  name: 'cache',
  about: ['svc cache: pages that functions have rendered, kept for their next visitors.'],
  commands: everyCommand(rows, [
    operationCommand('cache inspect', rows['cache.inspect'], {
      takes: [take('host')],
      texts: { host: 'The address of the page, or its host alone with --path.' },
      set({ positionals, flags }) {
        const { host, path } = partsOf(positionals.host!);
        return { host, path: flags.text('path') ?? path };
      },
      examples: [['Whether a page is kept', 'cache inspect https://shop.example.com/products?page=2']],
    }),
    operationCommand('cache invalidate', rows['cache.invalidate'], {
      takes: [take('urls', { rest: true })],
      texts: { urls: 'Addresses of pages; one with --kind prefix or all.' },
      set: pagesOf,
      examples: [
        ['One page', 'cache invalidate https://shop.example.com/products?page=2'],
        ['All below a path', 'cache invalidate https://shop.example.com/products/ --kind prefix'],
        ['A whole host', 'cache invalidate shop.example.com --kind all'],
      ],
    }),
  ]),
};
