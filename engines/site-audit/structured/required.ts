import { isRecord, type Properties, type SchemaNode } from './json-ld.ts';
import { kindsOf } from './vocabulary.ts';

interface Needs {
  readonly all: readonly string[];
  readonly oneOf?: readonly string[];
  readonly more?: (properties: Properties) => boolean;
}

/** Whether a value says something. */
export function present(value: unknown): boolean {
  if (typeof value === 'string') return value.trim() !== '';
  if (typeof value === 'number' || typeof value === 'boolean') return true;
  if (Array.isArray(value)) return value.some((one) => one !== null && one !== '');
  return isRecord(value) && Object.keys(value).some((name) => name !== '@type');
}

const records = (value: unknown): Properties[] => [value].flat().filter(isRecord);

const answered = (question: Properties): boolean =>
  present(question.name) &&
  [...records(question.acceptedAnswer), ...records(question.suggestedAnswer)].some(({ text }) => present(text));

const placed = (item: Properties): boolean =>
  present(item.position) &&
  (present(item.name) || present(item.item)) &&
  (!isRecord(item.item) || present(item.name) || present(item.item.name) || present(item.item['@id']));

const faq: Needs = {
  all: ['mainEntity'],
  more: ({ mainEntity }) => records(mainEntity).length > 0 && records(mainEntity).every(answered),
};

/** What each type needs to be of use. Contract 00, section 3.6. */
const needs: Readonly<Record<string, Needs>> = {
  Organization: { all: ['name', 'url'], oneOf: ['logo', 'sameAs'] },
  LocalBusiness: { all: ['name', 'address'], oneOf: ['telephone', 'url'] },
  Person: { all: ['name'], oneOf: ['url', 'sameAs'] },
  WebSite: { all: ['name', 'url'] },
  WebPage: { all: ['name'], oneOf: ['url', '@id'] },
  Article: { all: ['headline', 'author', 'datePublished'] },
  Product: { all: ['name'], oneOf: ['offers', 'review', 'aggregateRating'] },
  Offer: { all: ['priceCurrency'], oneOf: ['price', 'priceSpecification'] },
  FAQPage: faq,
  QAPage: faq,
  HowTo: { all: ['name', 'step'] },
  BreadcrumbList: {
    all: ['itemListElement'],
    more: ({ itemListElement }) => records(itemListElement).length > 0 && records(itemListElement).every(placed),
  },
  Event: { all: ['name', 'startDate', 'location'] },
  Recipe: { all: ['name', 'recipeIngredient', 'recipeInstructions'] },
  SoftwareApplication: { all: ['name'], oneOf: ['offers', 'aggregateRating', 'applicationCategory'] },
  Service: { all: ['name', 'provider'] },
  VideoObject: { all: ['name', 'thumbnailUrl', 'uploadDate'] },
  JobPosting: { all: ['title', 'description', 'datePosted', 'hiringOrganization'] },
  Course: { all: ['name', 'description', 'provider'] },
  Dataset: { all: ['name', 'description'] },
  Review: { all: ['itemReviewed', 'author'], oneOf: ['reviewRating', 'reviewBody'] },
};

export const identityTypes: readonly string[] = ['Organization', 'LocalBusiness', 'Person'];
export const siteTypes: readonly string[] = ['WebSite', 'WebPage'];
export const contentTypes: readonly string[] = Object.keys(needs).filter(
  (type) => !identityTypes.includes(type) && !siteTypes.includes(type),
);

/** Which of some types a node is of. */
export const typesAmong = ({ types }: SchemaNode, wanted: readonly string[]): string[] =>
  wanted.filter((want) => types.some((type) => kindsOf(type).has(want)));

/** What a node lacks to be a whole one of a type, in words; empty when it lacks nothing. */
export function lacks({ properties }: SchemaNode, type: string): string[] {
  const { all, oneOf, more } = needs[type]!;
  const missing = all.filter((name) => !present(properties[name]));
  if (oneOf !== undefined && !oneOf.some((name) => present(properties[name]))) missing.push(oneOf.join(' or '));
  if (missing.length === 0 && more?.(properties) === false) missing.push(`complete ${all.join(', ')}`);
  return missing;
}
