import type { Stage, Surfaces } from './surface.ts';

/** The site that the table has audited. */
export const auditedSite = 'table.audit-sites.net';

/** A transaction of no network that is looked at here. */
const unpaid = `0x${'ab'.repeat(32)}`;

export const auditSurfaces = ({ service }: Stage): Surfaces => {
  /** All callers of the table are at one address, which may have so many a minute of each. */
  const prepare = async (): Promise<undefined> => {
    for (const { services } of service.nodes) {
      services.rateLimiter.charge('audits-of-60:127.0.0.1', { perSecond: 1, burst: 10 }, -10);
      services.rateLimiter.charge('audits-of-86400:127.0.0.1', { perSecond: 0, burst: 100 }, -100);
      services.rateLimiter.charge('inquiries-of-60:127.0.0.1', { perSecond: 1, burst: 5 }, -5);
      services.rateLimiter.charge('verifications-of-60:127.0.0.1', { perSecond: 1, burst: 20 }, -20);
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
    'GET /api/pricing': {
      addition: { status: 200, reason: 'whoever is no agent looks at prices, too, before it pays' },
      cells: '+ + + + + + + +',
      field: () => '{ auditPricing { settlement { payTo } } }',
    },
    'GET /api/stats': { cells: '+ + + + + + + +', field: () => '{ auditStats { total } }' },
    'POST /api/inquiry': {
      // An operator's session only reads.
      cells: '+ + + F + + + +',
      body: () => ({ email: 'ada@shop.example.org' }),
      prepare,
      field: () => 'mutation { recordInquiry(input: { email: "ada@shop.example.org" }) { inquiryId } }',
    },
    'POST /api/verify-tx': {
      // The path looks at no credential; over the graph an operator's session only reads.
      cells: '+ + + + + + + +',
      fieldCells: '+ + + F + + + +',
      body: () => ({ tx_hash: unpaid }),
      prepare,
      field: () => `mutation { verifyTransaction(input: { txHash: "${unpaid}" }) { pending } }`,
    },
  };
};
