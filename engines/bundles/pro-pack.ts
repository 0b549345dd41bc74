import type { AuditReport } from '../site-audit/analyse.ts';
import { auditResult, fullReport } from '../site-audit/audit-result.ts';
import { reportMarkdown } from '../site-audit/report-markdown.ts';
import { type BundleFile, jsonFile, manifestFile, textFile } from './bundle-file.ts';
import { csv } from './csv.ts';
import type { PackOrder } from './pack-order.ts';
import { packLicence, packReadme } from './pack-texts.ts';
import { robotsAdditions } from './robots-additions.ts';

/** The label of the pack among what is sold. */
export const packTier = 'pro';

/** The facts of an order as they are signed: one line of JSON. */
export const orderFacts = (order: PackOrder): string => JSON.stringify(orderJson(order));

const orderJson = (order: PackOrder) => ({
  order_id: order.id,
  tx: order.transaction,
  network: order.network,
  payer: order.payer,
  domain: order.domain,
  price_usd: order.priceUsd,
  paid_at: order.paidAt.toISOString(),
});

/** Kind of signed text that the facts of an order are. */
export const orderType = 'order+json';

export interface PackContents {
  readonly report: AuditReport;
  readonly order: PackOrder;
  /** Which key signed. */
  readonly keyId: string;
  /** The {@link orderFacts}, signed. */
  readonly signature: string;
  /** The rubric as text. */
  readonly rubric: string;
}

/** All files of a pro pack. The same contents give the same files. Contract 00, section 5.2. */
export function proPack({ report, order, keyId, signature, rubric }: PackContents): BundleFile[] {
  const files = [
    textFile('README.md', packReadme(report)),
    jsonFile('audit.json', { ...auditResult(report, packTier), report: fullReport(report) }),
    textFile('report.md', reportMarkdown(report)),
    textFile('jsonld/site.jsonld', report.generatedJsonLd),
    textFile('jsonld/snippet.html', `<script type="application/ld+json">\n${report.generatedJsonLd}</script>\n`),
    textFile('llms.txt', report.generatedLlmsTxt),
    textFile('robots.additions.txt', robotsAdditions(report)),
    textFile('meta/head.html', report.generatedHead),
    textFile('checks.csv', checksTable(report)),
    textFile('rubric.md', rubric),
    textFile('LICENSE.txt', packLicence(order)),
    jsonFile('order.json', { ...orderJson(order), key_id: keyId, signature }),
  ];
  return [...files, manifestFile(files)];
}

/** Paths of all files, in the order of the contract. */
export const packPaths: readonly string[] = [
  'README.md',
  'audit.json',
  'report.md',
  'jsonld/site.jsonld',
  'jsonld/snippet.html',
  'llms.txt',
  'robots.additions.txt',
  'meta/head.html',
  'checks.csv',
  'rubric.md',
  'LICENSE.txt',
  'order.json',
  'manifest.json',
];

const checksTable = ({ checks }: AuditReport): string =>
  csv([
    ['id', 'points', 'max', 'evidence'],
    ...checks.map(({ id, points, max, evidence }) => [id, points, max, evidence]),
  ]);
