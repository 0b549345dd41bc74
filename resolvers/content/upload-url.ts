import type { Context } from '../../kernel/run/context.ts';

/** How long the address of a part is good, in seconds. Contract 03, section 2.1. */
export const partUrlSeconds = 3_600;

/** Where a part is sent to: whoever has the address may send it, so it names that part alone and ends soon. */
export function partUrl(
  { services, request }: Pick<Context, 'services' | 'request'>,
  uploadId: string,
  number: number,
  expires: number,
): string {
  const base = services.settings.publicBaseUrl ?? request.baseUrl;
  const token = services.keys.mac('content-uploads', signed(uploadId, number, expires)).toString('base64url');
  return `${base}/content/v1/uploads/${uploadId}/parts/${number}?expires=${expires}&token=${token}`;
}

/** Whether an address of a part was made here and is still good. @param expires in seconds since 1970 */
export function isPartUrl(
  { keys, now }: Pick<Context['services'], 'keys' | 'now'>,
  { uploadId, number, expires, token }: Readonly<Record<'uploadId' | 'number' | 'expires' | 'token', string>>,
): boolean {
  const mac = Buffer.from(token, 'base64url');
  return (
    mac.length === 32 &&
    keys.verifyMac('content-uploads', signed(uploadId, Number(number), Number(expires)), mac) &&
    Number(expires) * 1000 > now().getTime()
  );
}

const signed = (uploadId: string, number: number, expires: number) => `${uploadId} ${number} ${expires}`;
