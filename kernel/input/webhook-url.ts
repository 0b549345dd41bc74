import { z } from 'zod';
import { readUrl } from '../../core/urls.ts';

const isLocal = (host: string): boolean => host === 'localhost' || host === '127.0.0.1' || host === '[::1]';

/** Where something is posted: an address that is nobody's secret. Whether a local one may be asked is the operator's to say. */
export const webhookUrl = z
  .string()
  .max(2_048, 'at most 2048 characters')
  .refine((text) => {
    const url = readUrl(text);
    if (url === undefined || url.username !== '' || url.password !== '' || url.hash !== '') return false;
    return url.protocol === 'https:' || (url.protocol === 'http:' && isLocal(url.hostname));
  }, 'must be an https address without credentials and without a fragment, or an http one of this machine');
