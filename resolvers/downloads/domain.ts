import { sql } from '../../db/drizzle.ts';
import { isPast } from '../../db/intervals.ts';
import { bundles, downloads as kept } from '../../db/schema/products.ts';
import { domain } from '../../kernel/run/domain.ts';
import { takeDownload } from './take-download.ts';

export const downloads = domain('downloads', {
  operations: [takeDownload],
  expires: [
    // Of a node that lives it comes back with the next batch, under a higher number.
    { table: kept, when: isPast(kept.expiresAt) },
    // Sold to nobody who may still have it. A day is left for whoever is about to sell it again.
    {
      table: bundles,
      when: sql`${isPast(bundles.soldAt, '1 day')}
        and not exists (select from ${kept} where ${kept.sha256} = ${bundles.sha256})`,
    },
  ],
});
