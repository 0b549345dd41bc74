import { generateHead } from './generate/head.ts';
import { generateJsonLd } from './generate/json-ld.ts';
import { generateLlms } from './generate/llms.ts';
import { siteIdentity } from './generate/site-identity.ts';
import { type PageFacts, readPage } from './html/page-facts.ts';
import { isLlms, readLlms } from './llms/read-llms.ts';
import { type RobotsVerdict, robotsJudge, robotsSource } from './robots/judge-robots.ts';
import { parseRobots } from './robots/parse-robots.ts';
import { type AgentClass, decisiveTokens, ownToken, userAgents } from './robots/user-agents.ts';
import { accessChecks } from './rubric/access.ts';
import { answerabilityChecks } from './rubric/answerability.ts';
import { type Check, short } from './rubric/check.ts';
import { llmsChecks } from './rubric/llms.ts';
import { metaChecks } from './rubric/meta.ts';
import { schemaChecks } from './rubric/schema.ts';
import { type Scores, scoresOf } from './rubric/score.ts';
import type { SiteSnapshot } from './site-snapshot.ts';
import { readStructured } from './structured/json-ld.ts';

/** What an audit says of a site. It follows from the fetched bytes alone: no clock and no chance is in it. */
export interface AuditReport {
  readonly domain: string;
  readonly targetUrl: string;
  readonly finalUrl: string;
  readonly httpStatus: number;
  readonly robotsStatus: number | undefined;
  readonly scores: Scores;
  readonly hasJsonLd: boolean;
  readonly hasLlmsTxt: boolean;
  readonly allowsAiBots: boolean;
  /** Whether the site lets the gateway's own crawler in: only then it is told to others that it was audited. */
  readonly mayBeListed: boolean;
  readonly checks: readonly Check[];
  /** Every crawler of the table, and what decides about it. */
  readonly bots: readonly ({ readonly token: string; readonly agentClass: AgentClass } & RobotsVerdict)[];
  readonly contentSignals: readonly string[];
  /** Typed nodes of the page's structured data, by their types. */
  readonly nodeTypes: readonly string[];
  /** What was not read: `truncated`, `not_html`, `cut`. */
  readonly flags: readonly string[];
  readonly llmsFullStatus: number | undefined;
  readonly generatedJsonLd: string;
  readonly generatedLlmsTxt: string;
  /** Lines for the head of the page. */
  readonly generatedHead: string;
  /** Nodes of the page's tree that were looked at. */
  readonly visits: number;
}

const htmlType = /^\s*(?:text\/html|application\/xhtml\+xml)\s*(?:;|$)/i;
const nodeTypesMax = 200;

/** Judges what was fetched of a site. Pure. */
export function analyse(site: SiteSnapshot): AuditReport {
  const { page: answer, finalUrl } = site;
  const page = htmlType.test(answer.contentType) ? readPage(answer.bytes, answer.contentType, finalUrl) : undefined;
  const source = robotsSource(site.robots.status, () => parseRobots(site.robots.bytes));
  const robots = source.kind === 'file' ? source.file : undefined;
  const { pathname, search } = new URL(finalUrl);
  const judge = robotsJudge(source, pathname + search);
  const structured = readStructured(page?.jsonLd ?? []);
  const llms = readLlms(site.llms.bytes);
  const checks = [
    ...accessChecks({ site, page, robots, judge }),
    ...metaChecks(page ?? nothing, finalUrl, structured.nodes).map(page === undefined ? withoutPage : asIs),
    ...answerabilityChecks(page ?? nothing, finalUrl, structured.nodes).map(page === undefined ? withoutPage : asIs),
    ...schemaChecks(structured),
    ...llmsChecks(site.llms.status, site.llms.contentType, llms),
  ];
  const identity = siteIdentity(page, finalUrl, structured.nodes);
  return {
    domain: new URL(site.target).hostname,
    targetUrl: site.target,
    finalUrl,
    httpStatus: answer.status,
    robotsStatus: site.robots.status,
    scores: scoresOf(checks),
    hasJsonLd: structured.nodes.length > 0,
    hasLlmsTxt: isLlms(site.llms.status, llms),
    allowsAiBots: decisiveTokens.every((token) => judge(token).allowed),
    mayBeListed: judge(ownToken).allowed,
    checks,
    bots: userAgents.map((agent) => ({ ...agent, ...judge(agent.token) })),
    contentSignals: (robots?.contentSignals ?? []).map(short),
    nodeTypes: structured.nodes.slice(0, nodeTypesMax).map(({ types }) => short(types.join(', '))),
    flags: [
      ...(answer.truncated ? ['truncated'] : []),
      ...(page === undefined ? ['not_html'] : []),
      ...(page?.cut === true || structured.cut ? ['cut'] : []),
    ],
    llmsFullStatus: site.llmsFullStatus,
    generatedJsonLd: generateJsonLd(identity, page),
    generatedLlmsTxt: generateLlms(identity, page),
    generatedHead: generateHead(identity),
    visits: page?.visits ?? 0,
  };
}

const asIs = (check: Check): Check => check;
const withoutPage = (check: Check): Check => ({ ...check, points: 0, evidence: 'the page is no HTML' });

/** A page in which there is nothing. */
const nothing: PageFacts = readPage(new Uint8Array(), '', 'https://nowhere.invalid/');
