import type { PayloadRequest } from './use-cases.ts';

/** Reads a delivery. Without an ack Bolt would leave the caller alone for three seconds; the fault itself is answered by the app's error handler. */
export async function readOrAck(parse: () => PayloadRequest, ack: () => Promise<void>): Promise<PayloadRequest> {
  try {
    return parse();
  } catch (error) {
    await ack();
    throw error;
  }
}
