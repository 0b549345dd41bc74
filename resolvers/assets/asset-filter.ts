import { ServiceError } from '../../core/errors.ts';
import { type SQL, sql } from '../../db/drizzle.ts';
import { assets } from '../../db/schema/assets.ts';
import { typed } from '../../db/sql.ts';

const names = [
  'uploaded_by',
  'tag',
  'format',
  'is_image',
  'min_width',
  'max_width',
  'min_height',
  'max_height',
] as const;

/** What a list of assets is narrowed to; null where it is not. Contract 03, section 4.4. */
export interface AssetFilter {
  readonly uploadedBy: string | null;
  readonly tag: string | null;
  readonly format: string | null;
  readonly isImage: boolean | null;
  readonly minWidth: number | null;
  readonly maxWidth: number | null;
  readonly minHeight: number | null;
  readonly maxHeight: number | null;
}

/** @throws INVALID_FILTER_KEY, INVALID_FILTER_VALUE */
export function readFilter(given: Readonly<Record<string, string>>): AssetFilter {
  const odd = Object.keys(given).find((name) => !(names as readonly string[]).includes(name));
  if (odd !== undefined) throw new ServiceError('INVALID_FILTER_KEY', { details: { filter: odd, known: names } });
  const text = (name: (typeof names)[number]) => (Object.hasOwn(given, name) ? given[name]! : null);
  const pixels = (name: (typeof names)[number]) => {
    const value = text(name);
    if (value !== null && !/^\d{1,9}$/.test(value))
      throw new ServiceError('INVALID_FILTER_VALUE', { details: { filter: name, must: 'a whole number of pixels' } });
    return value === null ? null : Number(value);
  };
  const isImage = text('is_image');
  if (isImage !== null && isImage !== 'true' && isImage !== 'false')
    throw new ServiceError('INVALID_FILTER_VALUE', { details: { filter: 'is_image', must: 'true or false' } });
  return {
    uploadedBy: text('uploaded_by'),
    tag: text('tag'),
    format: text('format'),
    isImage: isImage === null ? null : isImage === 'true',
    minWidth: pixels('min_width'),
    maxWidth: pixels('max_width'),
    minHeight: pixels('min_height'),
    maxHeight: pixels('max_height'),
  };
}

export const filterParams = {
  uploadedBy: typed<string | null>('text'),
  tag: typed<string | null>('text'),
  format: typed<string | null>('text'),
  isImage: typed<boolean | null>('boolean'),
  minWidth: typed<number | null>('integer'),
  maxWidth: typed<number | null>('integer'),
  minHeight: typed<number | null>('integer'),
  maxHeight: typed<number | null>('integer'),
};

const ofImage = (member: 'width' | 'height') => sql`(${assets.image} ->> ${sql.raw(`'${member}'`)})::int`;

/** A list is read by its key or its time, and each row checked. */
export const passes = (given: { readonly [Name in keyof typeof filterParams]: SQL }): SQL => sql`
  (${given.uploadedBy}::text is null or ${assets.metadata} ->> 'uploaded_by' = ${given.uploadedBy})
  and (${given.tag}::text is null or ${assets.metadata} -> 'tags' ? ${given.tag})
  and (${given.format}::text is null or ${assets.image} ->> 'format' = ${given.format})
  and (${given.isImage}::boolean is null or (${assets.image} is not null) = ${given.isImage})
  and (${given.minWidth}::int is null or ${ofImage('width')} >= ${given.minWidth})
  and (${given.maxWidth}::int is null or ${ofImage('width')} <= ${given.maxWidth})
  and (${given.minHeight}::int is null or ${ofImage('height')} >= ${given.minHeight})
  and (${given.maxHeight}::int is null or ${ofImage('height')} <= ${given.maxHeight})`;
