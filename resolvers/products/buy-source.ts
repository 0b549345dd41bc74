import { z } from 'zod';
import { invalidField, ServiceError } from '../../core/errors.ts';
import { type BundleFile, sha256Of } from '../../engines/bundles/bundle-file.ts';
import { gatewayVersion } from '../../engines/bundles/gateway-version.ts';
import { type IpTransfer, ipTransferFacts, ipTransferSet, ipTransferType } from '../../engines/bundles/ip-transfer.ts';
import { zip } from '../../engines/bundles/zip.ts';
import type { AuditReport } from '../../engines/site-audit/analyse.ts';
import { auditResult, fullReport } from '../../engines/site-audit/audit-result.ts';
import type { Audited } from '../../engines/site-audit/audit-run.ts';
import { anyone } from '../../kernel/access/access.ts';
import type { Work } from '../../kernel/durability/unit-of-work.ts';
import type { Context } from '../../kernel/run/context.ts';
import { mutation } from '../../kernel/run/operation.ts';
import { type Delivery, deliveryToWire, openDownload } from '../downloads/shared/open-download.ts';
import { issueLicence } from '../licences/shared/issue-licence.ts';
import { requireSigner } from '../licences/shared/require-signer.ts';
import { orderToWire, recordOrder, type Sold, soldOf } from '../orders/shared/record-order.ts';
import { auditPrices } from '../payments/shared/price-table.ts';
import { hostAdmission } from '../site-audits/shared/admit-host.ts';
import { auditResultFields, DeliveryWire, FullReportWire, OrderWire } from '../site-audits/shared/audit-result-wire.ts';
import { recordAudit } from '../site-audits/shared/record-audit.ts';

/** A file of the licence set. */
interface LicenceDocument {
  readonly filename: string;
  readonly sha256: string;
  readonly content: string;
}

/** The gateway's source, and the right to it. */
export interface BoughtSource {
  readonly sold: Sold;
  /** What an audit of the buyer's site says; null when there is none. */
  readonly report: AuditReport | null;
  /** Why there is no report. */
  readonly reportError: string | null;
  readonly archive: Delivery;
  readonly licence: {
    /** The licence key. */
    readonly key: string;
    readonly documents: readonly LicenceDocument[];
    /** The documents as an archive. */
    readonly bundle: Delivery;
  };
}

/** Whose domain it is when none is named. Contract 00, section 3.11. */
const defaultDomain = 'example.com';

const tier = 'buyout';
const price = { ...auditPrices.buyout, network: 'base' } as const;

const LicenceSetWire = z.object({
  license_key: z.string(),
  documents: z.array(z.object({ filename: z.string(), sha256: z.string(), content: z.string() })),
  download_url: z.string(),
  expires_at: z.string(),
});

/** `GET` and `POST /api/x402-buyout`, and its alias. Contract 00, sections 0.1 and 5.3. */
export const buySource = mutation({
  name: 'products.buySource',
  tool: 'buy_source',
  command: 'audit buy-source',
  effects: ['openWorld'],
  duration: 'long',
  summary: 'Buy the source of this gateway as an archive, with the transfer of the rights to it.',
  access: anyone(),
  price: { family: 'gateway', price },
  input: z.object({
    buyer_domain: z
      .string()
      .max(2048)
      .optional()
      .describe('Domain of the buyer, whom the rights go to; example.com when absent.'),
  }),
  async prepare(ctx, { buyer_domain = defaultDomain }) {
    await requireSigner(ctx.services);
    const target = domainOf(ctx, buyer_domain);
    await sourceArchive(ctx);
    return { target: target.href, domain: target.hostname, ...(await auditBuyer(ctx, target)) };
  },
  async handler(work, _input, { domain, audited, reportError }): Promise<BoughtSource> {
    const sold = await soldOf(work, { tier, domain, auditedAt: audited?.auditedAt ?? null });
    const { filename, bytes, sha256 } = await sourceArchive(work);
    const { key, files } = await licenceSet(work, sold, {
      filename,
      version: gatewayVersion,
      bytes: bytes.length,
      sha256,
    });
    await recordOrder(work, sold, sha256);
    if (audited !== null) await recordAudit(work, work.services, audited, tier);
    const archive = await openDownload(work, { orderId: sold.id, filename, bytes });
    const set = { orderId: sold.id, filename: `ip-transfer-${domain}.zip`, bytes: zip(files) };
    const bundle = await openDownload(work, set);
    const documents = files.map((file) => ({
      filename: file.path,
      sha256: sha256Of(file.bytes),
      content: Buffer.from(file.bytes).toString('utf8'),
    }));
    return { sold, report: audited?.report ?? null, reportError, archive, licence: { key, documents, bundle } };
  },
  audit: ({ sold }) => ({
    action: 'audit.source_bought',
    object: { kind: 'order', id: sold.id },
    details: { domain: sold.domain },
  }),
  wire: z
    .object({
      ...auditResultFields,
      report: FullReportWire.nullable(),
      report_error: z.string().nullable(),
      order: OrderWire,
      archive: DeliveryWire,
      licence: LicenceSetWire,
    })
    .meta({ id: 'SourcePurchase' }),
  toWire: ({ sold, report, reportError, archive, licence }) => ({
    ...(report === null ? withoutReport(sold.domain) : auditResult(report, tier)),
    report: report === null ? null : fullReport(report),
    report_error: reportError,
    order: orderToWire(sold),
    archive: deliveryToWire(archive),
    licence: {
      license_key: licence.key,
      documents: licence.documents.map((one) => ({ ...one })),
      download_url: licence.bundle.downloadUrl,
      expires_at: licence.bundle.expiresAt.toISOString(),
    },
  }),
});

/** A host name, judged as a target is, but by nobody's name server. @throws ServiceError 400 */
function domainOf({ services }: Pick<Context, 'services'>, text: string): URL {
  const target = services.auditor.target(text);
  if (target.pathname !== '/' || target.search !== '') throw invalidField('buyer_domain', 'must be a host name alone');
  return target;
}

/** What the archives' source is. @throws SERVICE_UNAVAILABLE when it cannot be made */
async function sourceArchive({ services }: Pick<Context, 'services'>) {
  const built = await services.archives.all();
  return built.find(({ id }) => id === 'source')!;
}

/** The sale does not depend on the buyer's site: whatever is wrong with it is told. */
async function auditBuyer(
  { services }: Context,
  target: URL,
): Promise<{ readonly audited: Audited | null; readonly reportError: string | null }> {
  try {
    const { audited } = await services.auditor.audit(target, { admit: hostAdmission(services), fresh: true });
    return { audited, reportError: null };
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error;
    return { audited: null, reportError: error.code.toLowerCase() };
  }
}

/** The licence key, and the files that say what was transferred. */
async function licenceSet(
  work: Work,
  sold: Sold,
  archive: IpTransfer['archive'],
): Promise<{ readonly key: string; readonly files: readonly BundleFile[] }> {
  const { network, transaction, payer, paidAt, domain } = sold;
  const txHash = transaction.toLowerCase();
  const { jws, jti } = await issueLicence(work, { network, txHash, payer, plan: tier, blockTime: paidAt, domain });
  const { settings, signer } = work.services;
  const transfer: IpTransfer = {
    orderId: sold.id,
    seller: settings.sellerName ?? `the operator of ${settings.publicBaseUrl ?? work.request.baseUrl}`,
    governingLaw: settings.governingLaw ?? 'none is chosen',
    buyerDomain: domain,
    archive,
    priceUsd: sold.priceUsd,
    network,
    transaction,
    payer,
    transferredAt: paidAt,
    licenceId: jti,
  };
  const facts = ipTransferFacts(transfer);
  const signed = await (await signer!).sign(ipTransferType, Buffer.from(facts.bytes).toString('utf8'));
  return { key: jws, files: ipTransferSet(transfer, facts, signed) };
}

/** What stands in place of an audit that could not be made. */
const withoutReport = (domain: string) => ({
  ok: true as const,
  domain,
  target_url: `https://${domain}/`,
  geo_score: 0,
  schema_score: 0,
  llms_txt_score: 0,
  has_jsonld: false,
  has_llms_txt: false,
  allows_ai_bots: false,
  generated_jsonld: '',
  generated_llms_txt: '',
  tier,
});
