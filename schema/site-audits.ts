import type { VisitStep } from '../engines/site-audit/fetch/visit.ts';
import type { Check } from '../engines/site-audit/rubric/check.ts';
import { type BoughtAudit, buyAudit } from '../resolvers/site-audits/buy-audit.ts';
import type { AuditTelemetry, FreeAudit } from '../resolvers/site-audits/free-audit.ts';
import { runAudit } from '../resolvers/site-audits/run-audit.ts';
import { watchAudit } from '../resolvers/site-audits/watch-audit.ts';
import { type AuditProgressEvent, followAudit } from '../subscriptions/audit-progress.ts';
import { AuditOrderRef } from './audit-order.ts';
import { builder } from './builder.ts';
import { changeField, inputsOf, readField } from './operation-field.ts';

const AuditFindingRef = builder.objectRef<Check>('AuditFinding').implement({
  description: 'One check of an audit: what it gave, and what was seen.',
  fields: (t) => ({
    check: t.exposeString('id', { description: 'The check’s name in the rubric, for example `a1`.' }),
    part: t.exposeString('part', {
      description: 'What it counts towards: `access`, `meta`, `answerability`, `schema` or `llms_txt`.',
    }),
    title: t.exposeString('title', { description: 'What is looked for.' }),
    points: t.exposeInt('points', { description: 'Points that were given.' }),
    max: t.exposeInt('max', { description: 'Points that there are.' }),
    evidence: t.exposeString('evidence', { description: 'What was seen.' }),
  }),
});

const AuditTelemetryRef = builder.objectRef<AuditTelemetry>('AuditTelemetry').implement({
  description: 'How a site was read for its audit.',
  fields: (t) => ({
    finalUrl: t.exposeString('finalUrl', { description: 'Where the page was found, after redirects.' }),
    httpStatus: t.exposeInt('httpStatus', { description: 'What the page was answered with.' }),
    redirects: t.exposeInt('redirects', { description: 'How often the page led on.' }),
    fetchedBytes: t.exposeInt('fetchedBytes', { description: 'Bytes that were read, unpacked.' }),
    truncated: t.exposeBoolean('truncated', { description: 'Whether the page is longer than what was read of it.' }),
    flags: t.exposeStringList('flags', {
      description: 'What was not read: `truncated`, `not_html` or `cut` (deeper or larger than what is looked at).',
    }),
    totalMs: t.int({ description: 'Milliseconds that the page took.', resolve: ({ timings }) => timings.total }),
    robotsStatus: t.exposeInt('robotsStatus', {
      nullable: true,
      description: 'What robots.txt was answered with; null when it was not.',
    }),
    rubric: t.exposeString('rubric', { description: 'Version of the rubric.' }),
    tokenTable: t.exposeString('tokenTable', { description: 'Date of the table of AI crawlers.' }),
    cached: t.exposeBoolean('cached', {
      description: 'Whether the site was read for somebody else, minutes ago at most.',
    }),
    auditedAt: t.expose('auditedAt', { type: 'DateTime', description: 'When the site was read.' }),
  }),
});

const AuditReportRef = builder.objectRef<FreeAudit>('AuditReport').implement({
  description: 'What the free audit of a site says: all scores, and the beginning of everything else.',
  fields: (t) => ({
    domain: t.exposeString('domain', { description: 'Host name of the target.' }),
    targetUrl: t.exposeString('targetUrl', { description: 'The target in its normal form.' }),
    geoScore: t.exposeInt('geoScore', { description: 'Score over all parts, of 100.' }),
    schemaScore: t.exposeInt('schemaScore', { description: 'Score of the structured data, of 100.' }),
    llmsTxtScore: t.exposeInt('llmsTxtScore', { description: 'Score of llms.txt, of 100.' }),
    hasJsonLd: t.exposeBoolean('hasJsonLd', { description: 'Whether the page has structured data of schema.org.' }),
    hasLlmsTxt: t.exposeBoolean('hasLlmsTxt', { description: 'Whether the site has an llms.txt.' }),
    allowsAiBots: t.exposeBoolean('allowsAiBots', {
      description: 'Whether robots.txt allows the page to the AI crawlers that matter most.',
    }),
    generatedJsonLd: t.exposeString('generatedJsonLd', {
      description: 'Structured data that could stand in the page; its first lines.',
    }),
    generatedLlmsTxt: t.exposeString('generatedLlmsTxt', {
      description: 'An llms.txt that the site could have; its first lines.',
    }),
    findings: t.field({
      type: [AuditFindingRef],
      description: 'The first findings.',
      resolve: ({ checks }) => [...checks],
    }),
    findingsTotal: t.exposeInt('checksTotal', { description: 'How many findings there are.' }),
    telemetry: t.expose('telemetry', { type: AuditTelemetryRef, description: 'How the site was read.' }),
  }),
});

readField('audit', runAudit, { type: AuditReportRef });
changeField('auditRun', runAudit, { type: AuditReportRef, input: 'What is to be audited.', argument: 'The site.' });

const AuditStageEnum = builder.enumType('AuditStage', {
  description: 'How far an audit has come.',
  values: {
    QUEUED: { value: 'queued', description: 'It waits for its turn.' },
    RESOLVED: { value: 'resolved', description: 'The host’s name is resolved, and may be connected to.' },
    CONNECTED: { value: 'connected', description: 'The host is connected to.' },
    FETCHED: { value: 'fetched', description: 'A document was read, or could not be.' },
    ANALYSING: { value: 'analysing', description: 'All is read, and is judged now.' },
    FINISHED: { value: 'finished', description: 'The report is there; nothing follows.' },
  } satisfies Readonly<Record<string, { value: AuditProgressEvent['stage']; description: string }>>,
});

const AuditDocumentEnum = builder.enumType('AuditDocument', {
  description: 'A document that an audit reads.',
  values: {
    PAGE: { value: 'page', description: 'The page itself.' },
    ROBOTS: { value: 'robots', description: 'robots.txt.' },
    LLMS: { value: 'llms', description: 'llms.txt.' },
    LLMS_FULL: { value: 'llms_full', description: 'llms-full.txt, of which the status alone is read.' },
    SITEMAP: { value: 'sitemap', description: 'The sitemap.' },
  },
});

const fetchedOf = (step: AuditProgressEvent): Extract<VisitStep, { stage: 'fetched' }> | undefined =>
  step.stage === 'fetched' ? step : undefined;

const AuditProgressRef = builder.objectRef<AuditProgressEvent>('AuditProgress').implement({
  description: 'One step of an audit.',
  fields: (t) => ({
    stage: t.expose('stage', { type: AuditStageEnum, description: 'What has happened.' }),
    at: t.expose('at', { type: 'DateTime', description: 'When.' }),
    ahead: t.int({
      nullable: true,
      description: 'With `QUEUED`: how many wait before it.',
      resolve: (step) => (step.stage === 'queued' ? step.ahead : null),
    }),
    host: t.string({
      nullable: true,
      description: 'With `RESOLVED` and `CONNECTED`: which host; each redirect may lead to another.',
      resolve: (step) => (step.stage === 'resolved' || step.stage === 'connected' ? step.host : null),
    }),
    document: t.field({
      type: AuditDocumentEnum,
      nullable: true,
      description: 'With `FETCHED`: which document.',
      resolve: (step) => fetchedOf(step)?.document ?? null,
    }),
    status: t.int({
      nullable: true,
      description: 'With `FETCHED`: what it was answered with; null when there was no answer.',
      resolve: (step) => fetchedOf(step)?.status ?? null,
    }),
    bytes: t.int({
      nullable: true,
      description: 'With `FETCHED`: how much was read of it, unpacked.',
      resolve: (step) => fetchedOf(step)?.bytes ?? null,
    }),
    report: t.field({
      type: AuditReportRef,
      nullable: true,
      description: 'With `FINISHED`: the report.',
      resolve: (step) => (step.stage === 'finished' ? step.report : null),
    }),
  }),
});

const watched = inputsOf(watchAudit);

builder.subscriptionField('auditProgress', (t) =>
  t.field({
    type: AuditProgressRef,
    description:
      'Audits a site and tells of each step from the first on; ends with the report. Who asks meanwhile shares the audit.',
    args: watched.args,
    subscribe: (_root, args, ctx) => followAudit(ctx, watched.read(args)),
    resolve: (step) => step,
  }),
);

const BoughtAuditRef = builder.objectRef<BoughtAudit>('BoughtAudit').implement({
  description: 'The whole report of an audit that was paid for.',
  fields: (t) => ({
    order: t.expose('sold', { type: AuditOrderRef, description: 'What was bought, and by which payment.' }),
    domain: t.string({ description: 'Host name of the target.', resolve: ({ audited }) => audited.report.domain }),
    targetUrl: t.string({
      description: 'The target in its normal form.',
      resolve: ({ audited }) => audited.report.targetUrl,
    }),
    geoScore: t.int({
      description: 'Score over all parts, of 100.',
      resolve: ({ audited }) => audited.report.scores.geo,
    }),
    schemaScore: t.int({
      description: 'Score of the structured data, of 100.',
      resolve: ({ audited }) => audited.report.scores.schema,
    }),
    llmsTxtScore: t.int({
      description: 'Score of llms.txt, of 100.',
      resolve: ({ audited }) => audited.report.scores.llms_txt,
    }),
    hasJsonLd: t.boolean({
      description: 'Whether the page has structured data of schema.org.',
      resolve: ({ audited }) => audited.report.hasJsonLd,
    }),
    hasLlmsTxt: t.boolean({
      description: 'Whether the site has an llms.txt.',
      resolve: ({ audited }) => audited.report.hasLlmsTxt,
    }),
    allowsAiBots: t.boolean({
      description: 'Whether robots.txt allows the page to the AI crawlers that matter most.',
      resolve: ({ audited }) => audited.report.allowsAiBots,
    }),
    generatedJsonLd: t.string({
      description: 'Structured data that could stand in the page.',
      resolve: ({ audited }) => audited.report.generatedJsonLd,
    }),
    generatedLlmsTxt: t.string({
      description: 'An llms.txt that the site could have.',
      resolve: ({ audited }) => audited.report.generatedLlmsTxt,
    }),
    findings: t.field({
      type: [AuditFindingRef],
      description: 'All findings.',
      resolve: ({ audited }) => [...audited.report.checks],
    }),
  }),
});

changeField('auditBuy', buyAudit, {
  type: BoughtAuditRef,
  input: 'What is to be audited for money.',
  argument: 'The site.',
  omit: ['payment_proof'],
});
