import { deleteAsset } from '../resolvers/assets/delete-asset.ts';
import { diagnoseAssetUrl } from '../resolvers/assets/diagnose-url.ts';
import { getAsset } from '../resolvers/assets/get-asset.ts';
import { listAssets } from '../resolvers/assets/list-assets.ts';
import { listAssetFolders } from '../resolvers/assets/list-folders.ts';
import { putAsset } from '../resolvers/assets/put-asset.ts';
import { signAsset } from '../resolvers/assets/sign-asset.ts';
import { waitFresh } from '../resolvers/assets/wait-fresh.ts';
import type { RestRequest } from './rest-request.ts';
import { route } from './route.ts';

const inQuery = { project: ['query project_id', 'query project'] } as const;
const inBody = { project: ['body project_id', 'body project'] } as const;
const byKey = { keyDecides: true } as const;
const one = '/storage/v1/blob/:key';
/** Contents of 1 MB in base64, with what is said of them. */
const putBytesMax = 2 * 1024 * 1024;

/** `filter[tag]=x` and `filter.tag=x`. */
const filters = ({ query }: RestRequest) => {
  const given = Object.entries(query).flatMap(([name, value]) => {
    const [, inside, after] = /^filter(?:\[([^\]]*)\]|\.(.*))$/.exec(name) ?? [];
    const key = inside ?? after;
    return key === undefined || value === undefined ? [] : [[key, value] as const];
  });
  // As one object in JSON, too, which is how clients write what has no place of its own.
  if (given.length === 0 && query.filter !== undefined) return jsonOf(query.filter);
  return given.length === 0 ? undefined : Object.fromEntries(given);
};

/** What is no JSON stays what it is, and is refused. */
function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return text;
  }
}

/** Paths of assets. Contract 03, section 4. */
export const assetRoutes = [
  route(
    'GET',
    '/storage/v1/blobs',
    200,
    listAssets,
    { ...inQuery, filter: { from: 'query filter', make: filters }, before: null, from_end: null },
    byKey,
  ),
  route('GET', '/storage/v1/blobs/folders', 200, listAssetFolders, { ...inQuery, before: null, from_end: null }, byKey),
  route('GET', '/storage/v1/blobs/diagnose', 200, diagnoseAssetUrl, inQuery, byKey),
  route('GET', '/storage/v1/blobs/fresh', 200, waitFresh, inQuery, byKey),
  { ...route('POST', '/storage/v1/blobs', 200, putAsset, inBody, byKey), bodyBytesMax: putBytesMax },
  route('GET', one, 200, getAsset, inQuery, {
    ...byKey,
    rest: 'key',
    asObject: ({ facts: { sha256, size, contentType }, projectId }) => ({ projectId, sha256, size, contentType }),
  }),
  route(
    'DELETE',
    one,
    200,
    deleteAsset,
    { project: [...inQuery.project, ...inBody.project] },
    { ...byKey, rest: 'key' },
  ),
  route('POST', `${one}/sign`, 200, signAsset, inBody, { ...byKey, rest: 'key' }),
];
