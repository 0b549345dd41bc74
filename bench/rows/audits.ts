import { docs, news, shop } from '../../test/audit/fixture-sites.ts';
import { startSites } from '../../test/helpers/site-server.ts';
import { startWorker } from '../processes.ts';
import { median, medianRatio } from '../race.ts';
import { below, type Line, line } from '../report.ts';
import type { SiteAnswer, SiteCommand } from '../site-reader.ts';
import type { Stage } from '../stage.ts';

/** Audits in a round, and as many readings without one. */
const perRound = 10;

/** What an audit may take whatever the site, in milliseconds. */
const allowance = 30;

const targets = {
  'a shop': 'https://shop.audit-sites.net/shoes',
  'a docs site': 'https://docs.audit-sites.net/',
  'a news site': 'https://news.audit-sites.net/',
} as const;

/** Audits of the three sites that docs/audit.md explains, against their documents fetched by the same client alone. */
export async function siteAudit({ options }: Stage): Promise<Line[]> {
  const sites = await startSites({
    'shop.audit-sites.net': shop,
    'docs.audit-sites.net': docs,
    'news.audit-sites.net': news,
  });
  const reader = startWorker<SiteCommand, SiteAnswer>('site-reader.ts');
  const lines: Line[] = [];
  try {
    for (const [name, url] of Object.entries(targets)) {
      const port = sites.trial.hosts.get(new URL(url).hostname)!;
      const ask = (who: SiteCommand['who']) => reader.ask({ who, url, port, ca: sites.trial.ca, times: perRound });
      // The first of each finds nothing warm; both have to read the same.
      const [audited, fetched] = [await ask('audit'), await ask('client')];
      if (audited.bytes !== fetched.bytes || fetched.bytes === 0)
        throw new Error(`${name}: ${audited.bytes} and ${fetched.bytes} bytes were read.`);
      const rounds: { readonly ours: number; readonly reference: number }[] = [];
      for (let round = 0; round < options.rounds; round++)
        rounds.push({ ours: median((await ask('audit')).took), reference: median((await ask('client')).took) });
      const ours = rounds.map((one) => one.ours);
      const reference = rounds.map((one) => one.reference);
      const unpaid = ours.map((one) => Math.max(0, one - allowance));
      lines.push(
        line({
          row: 'site-audit',
          name: `audit of ${name} : its documents fetched alone`,
          unit: 'ms',
          ours: median(ours),
          reference: median(reference),
          ratio: medianRatio(ours, reference),
          rounds,
        }),
        line({
          row: 'site-audit',
          name: `  less ${allowance} ms`,
          unit: 'ms',
          ours: median(unpaid),
          reference: median(reference),
          ratio: medianRatio(unpaid, reference),
          target: below(1.3),
        }),
      );
    }
  } finally {
    await reader.stop();
    sites.close();
  }
  return lines;
}
