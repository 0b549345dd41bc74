import type { Stage, Surfaces } from './surface.ts';

/** The site that the table has audited. */
export const auditedSite = 'table.audit-sites.net';

export const auditSurfaces = ({ service }: Stage): Surfaces => {
  /** All callers of the table are at one address, which may have ten audits and five inquiries a minute. */
  const prepare = async (): Promise<undefined> => {
    for (const { services } of service.nodes) {
      services.rateLimiter.charge('audits-of-60:127.0.0.1', { perSecond: 0, burst: 10 }, -10);
      services.rateLimiter.charge('audits-of-86400:127.0.0.1', { perSecond: 0, burst: 100 }, -100);
      services.rateLimiter.charge('inquiries-of-60:127.0.0.1', { perSecond: 0, burst: 5 }, -5);
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
    'GET /api/stats': { cells: '+ + + + + + + +', field: () => '{ auditStats { total } }' },
    'POST /api/inquiry': {
      // An operator's session only reads.
      cells: '+ + + F + + + +',
      body: () => ({ email: 'ada@shop.example.org' }),
      prepare,
      field: () => 'mutation { recordInquiry(input: { email: "ada@shop.example.org" }) { inquiryId } }',
    },
  };
};
