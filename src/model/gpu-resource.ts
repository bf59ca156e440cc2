// Whole devices, slices and shares, by the names that device plugins register.
const GPU =
  /^(?:nvidia\.com\/(?:gpu|mig-|gpumem|pgpu)|amd\.com\/gpu|gpu\.intel\.com\/|habana\.ai\/gaudi|huawei\.com\/Ascend|aliyun\.com\/gpu|aws\.amazon\.com\/neuron|google\.com\/tpu|rebellions\.ai\/)/i;

/** Whether a resource that a container asks for is a GPU or a part of one. */
export function isGpuResource(name: string): boolean {
  return GPU.test(name);
}
