import { z } from 'zod';
import type { S3Settings } from '../engines/objects/s3-settings.ts';
import { parsed, webUrl } from './config-values.ts';

const credential = () => parsed('without spaces', (value) => (/^[\x21-\x7e]{1,512}$/.test(value) ? value : undefined));

/** Their part of the environment's schema. */
export const storageVariables = {
  S3_ENDPOINT: parsed('a URL that begins with http:// or https://, without a query or credentials', webUrl),
  S3_BUCKET: parsed('the name of a bucket: 3 to 63 small letters, digits, dots and hyphens', (value) =>
    /^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$/.test(value) ? value : undefined,
  ),
  S3_REGION: parsed('a region such as eu-central-1', (value) =>
    /^[A-Za-z0-9-]{1,64}$/.test(value) ? value : undefined,
  ),
  S3_ACCESS_KEY_ID: credential(),
  S3_SECRET_ACCESS_KEY: credential(),
  S3_FORCE_PATH_STYLE: parsed('true or false', (value) =>
    value === 'true' || value === 'false' ? value === 'true' : undefined,
  ),
};

const storageEnvironment = z.object(storageVariables);
type StorageEnvironment = Partial<z.output<typeof storageEnvironment>>;

/** Their part of the documentation. */
export const storageDescriptions = {
  S3_ENDPOINT: {
    default: 'objects are files in `SVC_DATA_DIR`',
    description:
      'Address of an S3 API that keeps objects instead, for example `https://s3.eu-central-1.amazonaws.com`. It may lie in a private network. Set it on all nodes, together with `S3_BUCKET`, `S3_ACCESS_KEY_ID` and `S3_SECRET_ACCESS_KEY`.',
    secret: false,
  },
  S3_BUCKET: {
    default: 'none',
    description: 'Bucket for objects, which nothing else writes into. It has to exist.',
    secret: false,
  },
  S3_REGION: { default: '`us-east-1`', description: 'Region that requests are signed for.', secret: false },
  S3_ACCESS_KEY_ID: {
    default: 'none',
    description: 'Id of a key that may list the bucket, and read, write and delete its objects.',
    secret: false,
  },
  S3_SECRET_ACCESS_KEY: { default: 'none', description: 'The key that belongs to `S3_ACCESS_KEY_ID`.', secret: true },
  S3_FORCE_PATH_STYLE: {
    default: '`true`',
    description: '`false`: the bucket is part of the host name, `<bucket>.<host of S3_ENDPOINT>`.',
    secret: false,
  },
};

const needed = ['S3_ENDPOINT', 'S3_BUCKET', 'S3_ACCESS_KEY_ID', 'S3_SECRET_ACCESS_KEY'] as const;

/** What is missing beside what is set. @param has says whether a variable is set, if only malformed */
export function storageFaults(has: (name: keyof StorageEnvironment) => boolean): string[] {
  const set = (Object.keys(storageVariables) as (keyof StorageEnvironment)[]).find(has);
  if (set === undefined) return [];
  return needed.filter((name) => !has(name)).map((name) => `${name} must be set when ${set} is.`);
}

/** Where objects are kept; undefined: in the data folder. */
export function storageOf(values: StorageEnvironment): S3Settings | undefined {
  const {
    S3_ENDPOINT: endpoint,
    S3_BUCKET: bucket,
    S3_ACCESS_KEY_ID: accessKeyId,
    S3_SECRET_ACCESS_KEY: secretAccessKey,
  } = values;
  if (endpoint === undefined || bucket === undefined) return undefined;
  if (accessKeyId === undefined || secretAccessKey === undefined) return undefined;
  return {
    endpoint,
    bucket,
    region: values.S3_REGION ?? 'us-east-1',
    accessKeyId,
    secretAccessKey,
    pathStyle: values.S3_FORCE_PATH_STYLE ?? true,
  };
}
