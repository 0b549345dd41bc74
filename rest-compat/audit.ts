import { buyAudit } from '../resolvers/audits/buy-audit.ts';
import { auditPrices } from '../resolvers/audits/price-table.ts';
import { runAudit } from '../resolvers/audits/run-audit.ts';
import { either, route } from './route.ts';

/** Who pays is all that counts. */
const ofPayer = { withoutCredential: true } as const;

const { path: boughtAt } = auditPrices.audit;

/** Whether everything of an audit is asked for, which costs something. */
const unlocks = (unlock: unknown): boolean => ['1', 1, 'true', true].includes(unlock as string);

/** Paths of the audit gateway. Contract 00, section 0.1. */
export const auditRoutes = [
  either(
    ({ query }) => unlocks(query.unlock),
    route('GET', '/api/audit', 200, buyAudit, ({ query }) => ({ url: query.url }), ofPayer),
    route('GET', '/api/audit', 200, runAudit, ({ query }) => ({ url: query.url })),
  ),
  either(
    ({ query, body }) => unlocks(query.unlock) || unlocks(body.unlock),
    route('POST', '/api/audit', 200, buyAudit, ({ query, body }) => ({ url: body.url ?? query.url }), ofPayer),
    route('POST', '/api/audit', 200, runAudit, ({ body }) => ({ url: body.url })),
  ),
  route(
    'GET',
    boughtAt,
    200,
    buyAudit,
    ({ query }) => ({ url: query.url, payment_proof: query.payment_proof }),
    ofPayer,
  ),
  route(
    'POST',
    boughtAt,
    200,
    buyAudit,
    ({ query, body }) => ({
      url: body.url ?? query.url,
      payment_proof: body.payment_proof ?? query.payment_proof,
    }),
    ofPayer,
  ),
];
