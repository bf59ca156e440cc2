import { describe, expect, it } from 'vitest';
import { gpuByProduct, gpusOfInstance, migProfile } from '../../src/model/gpu-table.ts';

describe('the card behind a product label', () => {
  it.each([
    ['NVIDIA-A100-SXM4-80GB', 'A100 80GB / A800', undefined, false],
    ['NVIDIA-A100-SXM4-80GB-MIG-1g.10gb', 'A100 80GB / A800', '1g.10gb', false],
    ['Tesla-T4-SHARED', 'Tesla T4', undefined, true],
    ['NVIDIA H100 80GB HBM3', 'H100 80GB', undefined, false],
    ['nvidia-l4', 'L4', undefined, false],
    ['AMD_Instinct_MI300X_OAM', 'AMD MI300X', undefined, false],
  ])('%s', (label, model, mig, shared) => {
    const found = gpuByProduct(label);

    expect(found?.gpu.model).toBe(model);
    expect(found?.mig?.profile).toBe(mig);
    expect(found?.shared).toBe(shared);
  });

  it('is unknown for a name that is not in the table', () => {
    expect(gpuByProduct('NVIDIA-Z9000')).toBeUndefined();
    expect(gpuByProduct('')).toBeUndefined();
  });
});

describe('the GPUs of an instance type', () => {
  it.each([
    ['p5.48xlarge', 8, 'H100 80GB'],
    ['standard_nc24ads_a100_v4', 1, 'A100 80GB / A800'],
  ])('%s has %d of %s', (type, count, model) => {
    const found = gpusOfInstance(type);

    expect(found?.count).toBe(count);
    expect(found?.model?.model).toBe(model);
  });

  it('knows the name but no card where the table of cards has none', () => {
    expect(gpusOfInstance('trn1.2xlarge')).toMatchObject({ gpu: 'Trainium', model: undefined });
    expect(gpusOfInstance('m5.large')).toBeUndefined();
  });
});

it('a MIG profile is found by the resource that asks for it', () => {
  expect(migProfile('nvidia.com/mig-3g.40gb')?.approxMib).toBe(40192);
  expect(migProfile('9g.99gb')).toBeUndefined();
});
