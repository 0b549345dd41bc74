import { setTimeout as sleepFor } from 'node:timers/promises';
import { z } from 'zod';
import { ServiceError } from '../../../core/errors.ts';
import { inParallel } from '../../../core/in-parallel.ts';
import { auditResult, fullReport } from '../../../engines/site-audit/audit-result.ts';
import { hostAdmission } from '../../site-audits/shared/admit-host.ts';
import { type JobType, jsonFile, type MadeFile, type RunningJob, readBy } from './job-type.ts';

const urlsMax = 100;
/** Audits at a time, and tries of one that is not begun, as while its host has had enough visits. */
const atOnce = 2;
const triesMax = 5;
const longestPause = 60;

const input = z.strictObject({
  urls: z
    .array(z.string().min(1).max(2_048))
    .min(1)
    .max(urlsMax)
    .describe(`Sites by their https addresses or host names, at most ${urlsMax}.`),
});

/** What became of one site. */
type Site =
  | { readonly url: string; readonly ok: true; readonly report: string; readonly geo_score: number }
  | { readonly url: string; readonly ok: false; readonly error: { readonly code: string; readonly message: string } };

/** Audits many sites, each afresh. */
export const siteAuditBulk: JobType = {
  name: 'site_audit_bulk',
  kind: 'built_in',
  description:
    'Audits how well sites can be read and cited by AI, at most 100: a whole report for each, and a summary of all.',
  price: { perJob: 0n, perSecond: 200n },
  maxSeconds: 3_600,
  repeatable: true,
  inputSchema: z.toJSONSchema(input, { io: 'input' }) as Record<string, unknown>,
  read: readBy(input),
  async run(job, given) {
    const { urls } = input.parse(given);
    const sites = await inParallel(urls, atOnce, async (url, at) => {
      job.signal.throwIfAborted();
      const { site, file } = await auditOne(job, url, `report-${String(at + 1).padStart(3, '0')}.json`);
      if (file !== undefined) await job.keep(file);
      return site;
    });
    const audited = sites.filter(({ ok }) => ok).length;
    const summary = { sites: urls.length, audited, failed: urls.length - audited, results: sites };
    await job.keep(jsonFile('summary.json', summary));
  },
};

async function auditOne(
  job: RunningJob,
  url: string,
  filename: string,
): Promise<{ readonly site: Site; readonly file?: MadeFile }> {
  const { auditor } = job.ctx.services;
  for (let tries = 1; ; tries++) {
    try {
      const request = { admit: hostAdmission(job.ctx.services), fresh: true, cancelled: job.signal };
      const { audited } = await auditor.audit(auditor.target(url), request);
      const { report, auditedAt } = audited;
      const body = {
        ...auditResult(report, 'bulk'),
        report: fullReport(report),
        audited_at: auditedAt.toISOString(),
      };
      job.log(`${url}: ${report.scores.geo} of 100 points.`);
      const site: Site = { url, ok: true, report: filename, geo_score: report.scores.geo };
      return { site, file: jsonFile(filename, body) };
    } catch (error) {
      job.signal.throwIfAborted();
      if (!(error instanceof ServiceError)) throw error;
      const { code, message, row, retryAfter = 5 } = error;
      if (row.retryable && tries < triesMax) {
        job.log(`${url}: ${code}, again in ${retryAfter} seconds.`, 'stderr');
        await sleepFor(Math.min(retryAfter, longestPause) * 1_000, undefined, { signal: job.signal });
        continue;
      }
      job.log(`${url}: ${code}: ${message}`, 'stderr');
      return { site: { url, ok: false, error: { code, message } } };
    }
  }
}
