import { type S3Client, S3RefusedError } from './s3-client.ts';
import { elementsOf, textOf } from './s3-xml.ts';

/** A thing of a list, and when it was made. */
export interface ListedKey {
  readonly key: string;
  readonly madeAt: Date;
}

/** The keys that begin with a prefix, by the thousand. Every page is read before what stands on it may be removed. */
export async function* listKeys(s3: S3Client, prefix: string): AsyncGenerator<readonly ListedKey[]> {
  let token: string | undefined;
  do {
    const query = { 'list-type': '2', prefix, ...(token === undefined ? {} : { 'continuation-token': token }) };
    const { text } = await s3.call({ method: 'GET', query });
    yield elementsOf(text, 'Contents').map((one) => ({
      key: textOf(one, 'Key') ?? '',
      madeAt: new Date(textOf(one, 'LastModified') ?? Number.NaN),
    }));
    token = textOf(text, 'IsTruncated') === 'true' ? textOf(text, 'NextContinuationToken') : undefined;
  } while (token !== undefined);
}

/** Objects that are being put together, below a prefix. Where a store does not list them, there are none. */
export async function* listUploads(
  s3: S3Client,
  prefix: string,
): AsyncGenerator<readonly (ListedKey & { readonly uploadId: string })[]> {
  let marker: Readonly<Record<string, string>> = {};
  for (;;) {
    const text = await uploadsAfter(s3, prefix, marker);
    if (text === undefined) return;
    yield elementsOf(text, 'Upload').map((one) => ({
      key: textOf(one, 'Key') ?? '',
      uploadId: textOf(one, 'UploadId') ?? '',
      madeAt: new Date(textOf(one, 'Initiated') ?? Number.NaN),
    }));
    const key = textOf(text, 'NextKeyMarker');
    if (textOf(text, 'IsTruncated') !== 'true' || key === undefined || key === '') return;
    marker = { 'key-marker': key, 'upload-id-marker': textOf(text, 'NextUploadIdMarker') ?? '' };
  }
}

async function uploadsAfter(s3: S3Client, prefix: string, marker: Readonly<Record<string, string>>) {
  try {
    return (await s3.call({ method: 'GET', query: { uploads: '', prefix, ...marker } })).text;
  } catch (error) {
    if (error instanceof S3RefusedError && error.status === 501) return undefined;
    throw error;
  }
}
