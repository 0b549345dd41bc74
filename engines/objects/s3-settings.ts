/** A bucket of an S3 API, as the operator names it. */
export interface S3Settings {
  /** For example `https://s3.eu-central-1.amazonaws.com` or `http://minio.internal:9000`. */
  readonly endpoint: string;
  readonly bucket: string;
  readonly region: string;
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  /** Whether the bucket is named by the path; else by the host. */
  readonly pathStyle: boolean;
}

/** Where a key of the bucket is, or the bucket itself. */
export function urlOf(
  { endpoint, bucket, pathStyle }: S3Settings,
  key: string,
  query: Readonly<Record<string, string>>,
) {
  const url = new URL(endpoint);
  const below = url.pathname.replace(/\/+$/, '');
  if (!pathStyle) url.hostname = `${bucket}.${url.hostname}`;
  url.pathname = pathStyle ? `${below}/${bucket}/${key}` : `${below}/${key}`;
  if (key === '') url.pathname = url.pathname.replace(/(?<=.)\/$/, '');
  for (const [name, value] of Object.entries(query)) url.searchParams.set(name, value);
  return url;
}
