import type { Stage, Surfaces } from './surface.ts';

/** The site that the table has audited. */
export const auditedSite = 'table.audit-sites.net';

export const auditSurfaces = ({ service }: Stage): Surfaces => {
  /** All callers of the table are at one address, which may have ten audits a minute. */
  const prepare = async (): Promise<undefined> => {
    for (const { services } of service.nodes) {
      services.rateLimiter.charge('audits:127.0.0.1', { perSecond: 0, burst: 10 }, -10);
      services.rateLimiter.charge('audits-of-day:127.0.0.1', { perSecond: 0, burst: 100 }, -100);
    }
  };
  return {
    'GET /api/audit': {
      cells: '+ + + + + + + +',
      search: () => `?url=${auditedSite}`,
      prepare,
      field: () => `{ audit(url: "${auditedSite}") { domain } }`,
    },
    'POST /api/audit': {
      cells: '+ + + + + + + +',
      body: () => ({ url: auditedSite }),
      prepare,
      field: () => `mutation { auditRun(input: { url: "${auditedSite}" }) { domain } }`,
    },
  };
};
