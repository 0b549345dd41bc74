import { auditResult, fullReport } from '../engines/site-audit/audit-result.ts';
import type { Delivery } from '../resolvers/downloads/shared/open-download.ts';
import { type BoughtPack, buyPack } from '../resolvers/products/buy-pack.ts';
import { type BoughtSource, buySource } from '../resolvers/products/buy-source.ts';
import { AuditOrderRef } from './audit-order.ts';
import { builder } from './builder.ts';
import { changeField } from './operation-field.ts';

const DeliveryRef = builder.objectRef<Delivery>('Delivery').implement({
  description: 'An archive that was bought.',
  fields: (t) => ({
    filename: t.exposeString('filename', { description: 'Its name.' }),
    bytes: t.exposeInt('bytes', { description: 'Its length.' }),
    sha256: t.exposeString('sha256', { description: 'SHA-256 of it, in hexadecimal.' }),
    downloadUrl: t.exposeString('downloadUrl', {
      description: 'Where it is downloaded, twenty times at most. Whoever has the address has the archive.',
    }),
    expiresAt: t.expose('expiresAt', { type: 'DateTime', description: 'When the address ends.' }),
    base64: t.exposeString('base64', {
      nullable: true,
      description: 'The archive itself, where it has 256 KiB at most.',
    }),
  }),
});

const ProPackRef = builder.objectRef<BoughtPack>('ProPack').implement({
  description: 'A whole audit, and files made from it that are ready to be put on the site.',
  fields: (t) => ({
    result: t.field({
      type: 'JSONObject',
      description: 'The audit’s result and its full report, as REST spells them.',
      resolve: ({ report, sold }) => ({ ...auditResult(report, sold.tier), report: fullReport(report) }),
    }),
    order: t.expose('sold', { type: AuditOrderRef, description: 'What was bought, and by which payment.' }),
    bundle: t.expose('bundle', { type: DeliveryRef, description: 'The files.' }),
  }),
});

const LicenceDocumentRef = builder
  .objectRef<BoughtSource['licence']['documents'][number]>('LicenceDocument')
  .implement({
    description: 'A file of the licence set.',
    fields: (t) => ({
      filename: t.exposeString('filename', { description: 'Its name.' }),
      sha256: t.exposeString('sha256', { description: 'SHA-256 of it, in hexadecimal.' }),
      content: t.exposeString('content', { description: 'Its text.' }),
    }),
  });

const SourcePurchaseRef = builder.objectRef<BoughtSource>('SourcePurchase').implement({
  description: 'The gateway’s source, with the transfer of the rights to it.',
  fields: (t) => ({
    order: t.expose('sold', { type: AuditOrderRef, description: 'What was bought, and by which payment.' }),
    archive: t.expose('archive', { type: DeliveryRef, description: 'The source.' }),
    licenceKey: t.string({
      description: 'The licence key: a compact JWS that verifies with the published keys.',
      resolve: ({ licence }) => licence.key,
    }),
    documents: t.field({
      type: [LicenceDocumentRef],
      description: 'The transfer for people, for programs, and signed.',
      resolve: ({ licence }) => licence.documents,
    }),
    documentsBundle: t.field({
      type: DeliveryRef,
      description: 'The documents as an archive.',
      resolve: ({ licence }) => licence.bundle,
    }),
    reportError: t.exposeString('reportError', {
      nullable: true,
      description: 'Why the buyer’s site has no audit; null when it has one.',
    }),
    result: t.field({
      type: 'JSONObject',
      nullable: true,
      description: 'The audit of the buyer’s site, as REST spells it.',
      resolve: ({ report, sold }) =>
        report === null ? null : { ...auditResult(report, sold.tier), report: fullReport(report) },
    }),
  }),
});

changeField('proPackBuy', buyPack, { type: ProPackRef, input: 'Whose pack is bought.', argument: 'The site.' });
changeField('sourceBuy', buySource, { type: SourcePurchaseRef, input: 'Who buys the source.', argument: 'The buyer.' });
