/* SPDX-License-Identifier: MIT */
/*
 * What scripts/real/boost-compute runs: algorithms of Boost.Compute on fixed
 * data, each once. Each writes and builds a program of its own.
 */
#include <iostream>
#include <vector>

#include <boost/compute.hpp>

namespace compute = boost::compute;

static std::vector<int> numbers(int count)
{
	std::vector<int> values;

	for (int i = 0; i < count; i++)
		values.push_back(i * 7919 % 1009);
	return values;
}

template <class Vector>
static void show(const char *name, const Vector &device,
		 compute::command_queue &queue)
{
	std::vector<typename Vector::value_type> host(device.size());
	unsigned long long digest = 0;

	compute::copy(device.begin(), device.end(), host.begin(), queue);
	for (auto value : host)
		digest = digest * 31 + static_cast<long long>(value);
	std::cout << name << " " << digest << std::endl;
}

BOOST_COMPUTE_FUNCTION(int, twice_and_one, (int x), { return 2 * x + 1; });

int main()
{
	compute::device device = compute::system::default_device();
	compute::context context(device);
	compute::command_queue queue(context, device);
	std::vector<int> host = numbers(1000);
	compute::vector<int> values(host.begin(), host.end(), queue);
	compute::vector<int> result(host.size(), context);
	using compute::lambda::_1;
	int total = 0;

	compute::transform(values.begin(), values.end(), result.begin(),
			   twice_and_one, queue);
	show("transform", result, queue);
	compute::transform(values.begin(), values.end(), result.begin(),
			   _1 * 3 - 4, queue);
	show("lambda", result, queue);
	compute::exclusive_scan(values.begin(), values.end(), result.begin(),
				queue);
	show("scan", result, queue);
	compute::reduce(values.begin(), values.end(), &total,
			compute::plus<int>(), queue);
	std::cout << "reduce " << total << std::endl;
	std::cout << "count "
		  << compute::count_if(values.begin(), values.end(), _1 > 500,
				       queue)
		  << std::endl;
	compute::sort(values.begin(), values.end(), queue);
	show("sort", values, queue);
	compute::reverse(values.begin(), values.end(), queue);
	show("reverse", values, queue);
	compute::iota(values.begin(), values.end(), 5, queue);
	show("iota", values, queue);
	compute::fill(values.begin(), values.end(), 42, queue);
	show("fill", values, queue);
	return 0;
}
