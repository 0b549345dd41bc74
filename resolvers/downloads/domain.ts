import { domain } from '../../kernel/run/domain.ts';
import { takeDownload } from './take-download.ts';

export const downloads = domain('downloads', {
  operations: [takeDownload],
  expires: [
    // Of a node that lives it comes back with the next batch, under a higher number.
    { table: 'downloads', when: 'expires_at < now()' },
    // Sold to nobody who may still have it. A day is left for whoever is about to sell it again.
    {
      table: 'bundles',
      when: `sold_at < now() - interval '1 day' and not exists (select from downloads d where d.sha256 = bundles.sha256)`,
    },
  ],
});
